//! Output and exit codes of the command on tables of this process.

#![cfg(test)]

use std::process::{Command, Output};

fn run(arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fluo-conformance"));
    command.args(arguments.split_whitespace()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn prints_a_line_for_each_chosen_rule_and_leaves_no_table() {
    let directory = tempfile::tempdir().unwrap();
    let at = format!("--at embedded:{}/d --rule a12", directory.path().display());
    for at in ["--at memory --rule a12", &at] {
        let output = run(at);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        let lines: Vec<_> = printed.lines().collect();
        assert!(lines[0].starts_with("1 rules on "), "{printed}");
        assert!(
            lines[1].starts_with("ok      a12_filters_work_or_fail_with_the_reason_of_the_check  "),
            "{printed}"
        );
        assert_eq!(lines[2..], ["1 ok, 0 failed"]);
    }
}

#[test]
fn rejects_an_unknown_rule() {
    let output = run("--rule t99");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "error: no rule has `t99` in its name; --list prints all rules\n"
    );
}
