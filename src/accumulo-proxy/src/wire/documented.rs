//! `docs/proxy-calls.md`, printed from the table of calls.

use std::path::Path;
use std::{env, fs};

use super::interface::{Declaration, GROUPS};
use super::{Patience, Resend};

/// The environment variable that writes the page instead of comparing it, if it is `overwrite`.
const VARIABLE: &str = "PROXY_CALLS";

/// Returns the tables of the page.
fn tables() -> String {
    let mut tables = String::new();
    for group in GROUPS {
        let rows: String = group.calls.iter().map(row).collect();
        tables += &format!(
            "\n## {}\n\n| call | method of `{}` | sent again | limit |\n|---|---|---|---|\n{rows}",
            group.title, group.owner
        );
    }
    tables
}

fn row(call: &Declaration) -> String {
    let (again, limit) = match call.resend {
        // The login has its own code.
        _ if call.name == "login" => ("no: one attempt", "connect_timeout"),
        Resend::Read => ("yes: changes nothing", limit(call)),
        Resend::Repeat => ("yes: idempotent", limit(call)),
        Resend::Once => ("no", limit(call)),
    };
    let (name, method) = (call.name, call.method);
    format!("| `{name}` | `{method}` | {again} | `{limit}` |\n")
}

fn limit(call: &Declaration) -> &'static str {
    match call.patience {
        Patience::Call => "call_timeout",
        Patience::Wait => "wait_timeout",
    }
}

#[test]
fn the_page_has_the_table_of_calls() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/proxy-calls.md");
    let page = fs::read_to_string(&path).unwrap();
    let (text, stored) = page.split_at(page.find("\n## ").unwrap());
    let tables = tables();
    if env::var(VARIABLE).is_ok_and(|value| value == "overwrite") {
        fs::write(&path, format!("{text}{tables}")).unwrap();
        return;
    }
    assert_eq!(stored, tables, "set {VARIABLE}=overwrite to write it");
}
