//! The page on JSON names each field that a command prints, with its type, and no other.

use std::collections::{BTreeMap, BTreeSet};

use fluo_engine::{Instance, InstanceExt};
use fluo_process::monitor::{Monitor, MonitorOptions};
use serde_json::{Deserializer, Value};

use crate::application::{Web, failed, page, place};
use crate::command::{Place, ROWS, Run, assert_says};
use crate::queue::update;

const PAGE: &str = include_str!("../../../../docs/json.md");

type Fields = BTreeMap<String, BTreeSet<&'static str>>;

/// Returns the fields of a section of the page, with their types.
fn described(command: &str) -> Fields {
    let mut sections = PAGE.split("\n## ");
    let heading = |section: &&str| {
        let (heading, _) = section.split_once('\n').unwrap();
        heading == command || heading.contains(&format!("`{command}`"))
    };
    let section = sections.find(heading).unwrap_or_else(|| panic!("no section on {command}"));
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let field = |row: &'static str| {
        let (name, rest) = row.split_once("` | ")?;
        let (types, _) = rest.split_once(" | ")?;
        Some((name.to_owned(), types.split(" or ").collect()))
    };
    rows.filter_map(field).collect()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

fn add_fields(value: &Value, path: &str, found: &mut Fields) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                found.entry(path.clone()).or_default().insert(type_of(value));
                add_fields(value, &path, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                let path = format!("{path}[]");
                if !item.is_object() {
                    found.entry(path.clone()).or_default().insert(type_of(item));
                }
                add_fields(item, &path, found);
            }
        }
        _ => {}
    }
}

/// Returns the documents in an output. Each begins with the version of the format.
fn documents(output: &[u8]) -> Vec<Value> {
    let documents = Deserializer::from_slice(output).into_iter::<Value>();
    let documents: Vec<_> = documents.map(|document| document.unwrap()).collect();
    for document in &documents {
        assert_eq!(document["format"], 1, "{document}");
    }
    assert!(output.starts_with(b"{\"format\":1,") || output.starts_with(b"{\n  \"format\": 1,"));
    documents
}

/// Checks that the fields of some documents are those of a section, together.
#[track_caller]
pub(crate) fn assert_described(command: &str, documents: &[Value]) {
    let (described, mut found) = (described(command), Fields::new());
    documents.iter().for_each(|document| add_fields(document, "", &mut found));
    found.remove("format");
    let mut unseen: BTreeSet<_> = described.keys().cloned().collect();
    for (path, types) in found {
        if let Some(expected) = described.get(&path) {
            assert!(types.is_subset(expected), "{command}: {path}: {types:?}");
            unseen.remove(&path);
            continue;
        }
        let above = path.match_indices('.').map(|(dot, _)| format!("{}.*", path.split_at(dot).0));
        let star = above.into_iter().find(|star| described.contains_key(star));
        let star = star.unwrap_or_else(|| panic!("{command}: {path} is not on the page"));
        unseen.remove(&star);
    }
    assert!(unseen.is_empty(), "{command}: no output has {unseen:?}");
}

impl Place {
    /// Runs commands with `--json`, and returns their documents.
    #[track_caller]
    fn documents(&self, commands: &[&str]) -> Vec<Value> {
        let run = |command: &&str| {
            let run = self.fluo(&format!("{command} --json"));
            assert!(matches!(run.code, Some(0 | 1)), "{command}: {}", run.stderr);
            documents(&run.stdout)
        };
        commands.iter().flat_map(run).collect()
    }

    /// Runs a command with `--json`, and checks its documents.
    #[track_caller]
    fn is_described(&self, commands: &[&str]) {
        let documents = self.documents(commands);
        let words: Vec<_> = commands[0].split(" -").next().unwrap().split(' ').collect();
        let command = (1..=words.len()).rev().map(|len| format!("fluo {}", words[..len].join(" ")));
        let command = command.into_iter().find(|command| PAGE.contains(&format!("`{command}`")));
        assert_described(&command.unwrap(), &documents);
    }
}

const EPOCHS: &str = "[[key_design]]\ndesign = \"modulo\"\nbuckets = 4\ntablets = 4\n\
                      [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 2\n";

#[test]
fn describes_documents_about_keys() {
    let place = Place::new();
    place.file("epochs.toml", EPOCHS);
    for command in ["key add --prefix p", "key remove --prefix p"] {
        let input = if command.contains("add") { "a\n" } else { "p:s6uq:a\n" };
        let run = place.fed(&format!("{command} --json"), input).succeeds();
        assert_eq!(run.text(), "{\"format\":1,\"row\":\"a\",\"key\":\"p:s6uq:a\"}\n");
        assert_described("fluo key add", &documents(&run.stdout));
    }
    place.is_described(&["key splits --prefix p --tablets 3"]);
    place.is_described(&["key group --prefix p"]);
    place.is_described(&[
        "key explain --prefix p --tablets 3 p:s6uq:a bad",
        "key explain --design modulo --tablets 4 02|polygenelubricants",
        "key explain --spec epochs.toml 00|d",
    ]);
    place.is_described(&["key spans --prefix p --row a", "key spans --design unsalted --all"]);
    place.is_described(&[
        "key design",
        "key design modulo",
        "key design composite",
        "key design row-hasher",
    ]);
    place.is_described(&["version"]);
}

#[test]
fn describes_documents_about_tables() {
    let place = Place::new();
    place.file("rows", ROWS);
    place.file("epochs.toml", EPOCHS);
    let at = "--at embedded:d";
    place.file("s.toml", crate::command::SPEC);
    place.file("extra.toml", "[[row_hasher]]\nprefix = \"p\"\ntablets = 3\n");
    place.file("plain.toml", "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"m\"]\n");
    place.is_described(&[&format!("table create {at} pages"), &format!("table create {at} old")]);
    place.is_described(&[&format!("table delete {at} --yes old")]);
    place.is_described(&[
        &format!("table load {at} pages --prefix p rows"),
        &format!("table load {at} pages --prefix p --create-if-absent rows"),
        &format!("table load {at} pages --encoding hex --prefix p --skip-bad 9999 rows"),
    ]);
    place.is_described(&[
        &format!("table scan {at} --prefix p pages"),
        &format!("table scan {at} --design modulo,buckets=2 pages"),
    ]);
    place.is_described(&[
        &format!("table export {at} pages"),
        &format!("table export {at} --prefix p pages"),
    ]);
    let cells = place.fluo(&format!("table export {at} pages")).stdout;
    place.file("cells.jsonl", [&*cells, b"bad\n"].concat());
    place.is_described(&[&format!("table import {at} --skip-bad 1 pages cells.jsonl")]);
    place.is_described(&[&format!("table count {at} pages")]);
    place.is_described(&[&format!("table sample {at} --count 2 pages")]);
    place.is_described(&[&format!("table compact {at} pages")]);
    let plan = format!("table plan {at} --prune pages --spec");
    let first = place.documents(&[&format!("{plan} s.toml")]);
    place.is_described(&[&format!("table apply {at} --spec s.toml pages")]);
    let mut plans = place.documents(&[
        &format!("{plan} extra.toml"),
        &format!("{plan} plain.toml"),
        &format!("table plan {at} --spec plain.toml pages"),
    ]);
    plans.extend(first);
    assert_described("fluo table plan", &plans);
    let verify = format!("table verify {at} pages --spec");
    place.runs(&format!("table create {at} few"));
    place.file("row", "a\n");
    place.runs(&format!("table load {at} few --prefix p row"));
    place.is_described(&[
        &format!("table verify {at} few --spec s.toml"),
        &format!("{verify} s.toml"),
        &format!("{verify} s.toml --rows skip"),
        &format!("{verify} extra.toml"),
        &format!("{verify} plain.toml"),
    ]);
    place.is_described(&[&format!("table watch {at} --once --spec extra.toml pages")]);
    place.is_described(&[&format!("table list {at}")]);
    place.is_described(&[&format!("table show {at} pages")]);
    place.runs(&format!("table create {at} epochs"));
    place.is_described(&[&format!("table migrate {at} --spec epochs.toml epochs")]);
    place.is_described(&[
        "advise rows",
        "advise rows --reads prefix --servers 4",
        &format!("advise {at} pages"),
    ]);
    let check = format!("table check {at}");
    let mut checks = place.documents(&[&check]);
    std::fs::remove_file(place.path("d/fluo.commits")).unwrap();
    checks.extend(place.documents(&[&check]));
    assert_described("fluo table check", &checks);
}

#[tokio::test]
async fn describes_documents_about_applications() {
    let place = place();
    let at = "--at embedded:d";
    place.is_described(&[&format!("app init {at} other")]);
    place.is_described(&[&format!("app remove {at} --yes other")]);
    place.is_described(&[&format!("app list {at}")]);
    place.is_described(&[&format!("app status {at} web")]);
    let set = format!("app config {at} --set limit=4 --set db.password=hidden web");
    let changed = place.documents(&[&set]);
    assert_eq!(changed[0]["settings"]["limit"], "4");
    assert_eq!(changed[0]["settings"]["db.password"], "***");
    place.is_described(&[
        &format!("app config {at} web"),
        &format!("app config {at} --get limit web"),
    ]);
    place.is_described(&[&format!("app check {at} web")]);
    place.is_described(&[&format!("app gc {at} web")]);
    let web = Web::open(&place).await;
    web.set(&[(b"a", page("text"), b"1")]).await;
    for row in ["bad", "worse"] {
        web.coordination.add_dead_letter(failed(row, page("links"), "no page")).await.unwrap();
    }
    drop(web);
    place.is_described(&[&format!("scan {at} web"), &format!("scan {at} --raw web")]);
    place.is_described(&[&format!("notifications list {at} web")]);
    place.is_described(&[&format!("notifications failed {at} web")]);
    place.is_described(&[&format!("notifications discard {at} web bad page:links")]);
    let waiting = place.documents(&[&format!("wait {at} --timeout 0s web")]);
    assert_eq!(waiting[0]["idle"], false);
    place.is_described(&[&format!("notifications retry {at} --all web")]);
    let idle = Place::new();
    idle.runs("app init --at embedded:d web");
    let all = [waiting, idle.documents(&[&format!("wait {at} web")])].concat();
    assert_described("fluo wait", &all);
}

/// An idle directory has no workers and no oracles, so another reading is in memory.
#[tokio::test]
async fn describes_the_readings_of_a_monitor() {
    let place = Place::new();
    place.file("s.toml", crate::command::SPEC);
    update(&place, &[("cat", 2)], true).await;
    place.runs("table create --at embedded:d pages");
    let arguments = "top --at embedded:d --count 1 --table pages=s.toml --table nope";
    let mut readings = place.documents(&[&format!("{arguments} --metrics 127.0.0.1:1")]);
    let fluo = Instance::in_memory();
    let web = fluo.application("web").create().await.unwrap();
    let _snapshot = web.snapshot().await.unwrap();
    let coordination = fluo.applications().open("web").await.unwrap();
    let _worker = coordination.join_workers().await.unwrap();
    let mut other = Monitor::new(fluo, MonitorOptions::new("memory")).read().await;
    other.applications[0].oracles.push("oracle-1:9913".to_owned());
    readings.push(serde_json::to_value(other).unwrap());
    assert_described("fluo top", &readings);
}

#[tokio::test]
async fn describes_documents_about_queues() {
    let place = Place::new();
    let at = "--at embedded:d web";
    for _ in 0..2 {
        update(&place, &[("cat", 200), ("dog", 130)], true).await;
    }
    update(&place, &[("fish", 3)], false).await;
    place.is_described(&[&format!("queue list {at}")]);
    place.is_described(&[&format!("queue show {at} wc")]);
    place.is_described(&[&format!("queue failed {at} wc")]);
    place.is_described(&[&format!("queue discard {at} wc --all --yes")]);
    for (app, table) in [("plan", "plan"), ("apply", "apply"), ("verify", "verify")] {
        let document = place.documents(&[&format!("app {app} {at}")]);
        let fields = described(&format!("fluo table {table}"));
        assert!(
            document[0].as_object().unwrap().keys().all(|name| {
                ["format", "recipes"].contains(&&**name) || fields.contains_key(name)
            })
        );
    }
    update(&place, &[], true).await;
    place.is_described(&[&format!("app rebucket {at} wc --buckets 3")]);
    place.is_described(&[&format!("app compact-transient {at}")]);
}

#[track_caller]
fn error_of(run: &Run) -> Value {
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_eq!(run.text(), "");
    let last = run.stderr.lines().next_back().unwrap();
    documents(last.as_bytes()).remove(0)
}

/// A document of an error once was text.
#[test]
fn describes_errors() {
    const INIT: &str = "create it first, with `fluo app init`";
    const CLEAR: &str = "--clear removes it and its table first, with all that is in it";
    let place = Place::with_table();
    place.fluo("app init --at embedded:d web").succeeds();
    let mut errors = Vec::new();
    for (arguments, kind, message, hint) in [
        (
            "table list --at embedded:none --json",
            "not_found",
            "the directory `none` does not exist",
            "name another one, or make a first table with `fluo table create`",
        ),
        ("table create --at embedded:d --json pages", "already_exists", "", ""),
        ("app init --at embedded:d --json web", "already_exists", "`web`", CLEAR),
        ("scan --at embedded:d --json none", "not_found", "`none`", INIT),
        ("queue list --at embedded:d --json none", "not_found", "`none`", INIT),
        ("wait --at embedded:d --json none", "not_found", "`none`", INIT),
        ("notifications list --at embedded:d --json none", "not_found", "`none`", INIT),
        ("app remove --at embedded:d --json none", "not_found", "`none`", INIT),
        (
            "app remove --at embedded:d --json wub",
            "not_found",
            "application `wub` does not exist",
            "did you mean `web`?",
        ),
        (
            "table watch --at embedded:d --spec s.toml --json nope",
            "not_found",
            "there is no table `nope`",
            "tables: `pages`, `web`",
        ),
        ("queue show --at embedded:d --json web eq", "not_found", "has no queues", ""),
        ("app rebucket --at embedded:d --json web eq --buckets 8", "not_found", "no queues", ""),
        ("app remove --at embedded:d --json web", "other", "`web` was not removed", "give --yes"),
        (
            "table load --at embedded:d --prefix p --json pages .",
            "io",
            "cannot read the rows of .: it is a directory",
            "",
        ),
        ("table shw --json", "usage", "unrecognized subcommand 'shw'", ""),
        (
            "table list --json",
            "usage",
            "the following required arguments were not provided: --at <TARGET>",
            "",
        ),
        ("--json table list --at proxy:a:hunter2@h:1", "usage", "remove the user and password", ""),
        ("advise --json missing", "io", "cannot read the keys of missing", ""),
        ("key add --json --design modul", "usage", "`modul`", "did you mean `modulo`?"),
        ("demo --json", "usage", "`fluo demo` prints no data", "omit --json"),
    ] {
        let run = place.fluo(arguments);
        let error = error_of(&run);
        assert_eq!(error["error"]["kind"], kind, "{arguments}: {error}");
        assert_says(error["error"]["message"].as_str().unwrap(), message);
        let told = &error["error"]["hint"];
        assert!(hint.is_empty() || told == hint, "{arguments}: {error}");
        assert_eq!(error["error"]["exit_code"], 2);
        assert!(PAGE.contains(&format!("| `{kind}` | ")), "{kind}");
        assert!(!run.stderr.contains("hunter2"));
        errors.push(error);
    }
    assert_described("Errors", &errors);
}

/// A command that a signal ended printed nothing, unless it had changed something.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_command_with_a_document() {
    let place = Place::new();
    place.pipe("keys");
    let child = place.command(["advise", "--json", "keys"]).spawn().unwrap();
    crate::command::wait_until_it_listens(child.id());
    crate::command::signal(child.id(), "TERM");
    let run = crate::command::ended(child);
    assert_eq!((run.code, run.text()), (Some(143), ""));
    let error = documents(run.stderr.as_bytes()).remove(0);
    assert_eq!(error["error"]["kind"], "interrupted");
    assert_eq!(error["error"]["message"], "a signal ended the command");
}
