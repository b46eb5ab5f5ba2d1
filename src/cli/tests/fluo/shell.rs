//! Completions, manual pages, the version, and quiet runs.

use std::process::{Command, Output};

use crate::command::{Place, Run, assert_says};

/// Completes a command line in bash with the script, and returns the suggestions.
#[cfg(unix)]
fn completed(place: &Place, words: &str) -> Vec<String> {
    let complete = format!(
        "source fluo.bash; COMP_WORDS=({words} \"\"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _fluo fluo \"\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let mut bash = Command::new("bash");
    let run = Run::of(bash.args(["-c", &complete]).current_dir(place.path(".")).output().unwrap());
    run.succeeds().text().lines().map(str::to_owned).collect()
}

#[cfg(unix)]
#[test]
fn completes_commands_options_and_designs_in_bash() {
    let place = Place::new();
    place.file("fluo.bash", place.runs("completions bash").stdout);
    for (words, expected) in [
        ("fluo", "table"),
        ("fluo table", "load"),
        ("fluo table load", "--create-if-absent"),
        ("fluo key add --design", "digest-salt"),
        ("fluo key add --encoding", "base64"),
    ] {
        let found = completed(&place, words);
        assert!(found.contains(&expected.to_owned()), "{words}: {found:?}");
    }
}

/// Command lines up to the key Tab, and the lines after it.
#[cfg(unix)]
const COMPLETED: [(&str, &str); 5] = [
    ("fluo tab", "fluo table"),
    ("fluo table loa", "fluo table load"),
    ("fluo table load --create-if", "fluo table load --create-if-absent"),
    ("fluo key add --design digest-s", "fluo key add --design digest-salt"),
    ("fluo key add --encoding bas", "fluo key add --encoding base64"),
];

/// Checks whether a shell is installed. Without it, tests of its script are skipped: no other part
/// of the project needs the shell.
#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "a skipped test prints its reason")]
fn is_installed(shell: &str) -> bool {
    let is_installed = Command::new(shell).arg("--version").output().is_ok();
    if !is_installed {
        eprintln!("skipped: {shell} is not installed");
    }
    is_installed
}

#[cfg(unix)]
#[test]
fn completes_commands_options_and_designs_in_fish() {
    if !is_installed("fish") {
        return;
    }
    let place = Place::new();
    place.file("fluo.fish", place.runs("completions fish").stdout);
    for (typed, expected) in COMPLETED {
        let complete = format!("source fluo.fish; complete --do-complete '{typed}'");
        let mut fish = Command::new("fish");
        let fish = fish.args(["--no-config", "--command", &complete]).current_dir(place.path("."));
        let run = Run::of(fish.output().unwrap()).succeeds();
        // A tab separates a word from its description.
        let words = run.text().lines().filter_map(|line| line.split('\t').next());
        let (before, _) = typed.rsplit_once(' ').unwrap();
        let found: Vec<_> = words.map(|word| format!("{before} {word}")).collect();
        assert_eq!(found, [expected], "{typed}");
    }
}

/// The key Tab completes a line, which Ctrl-A and Ctrl-E make the arguments of `print`.
#[cfg(unix)]
#[test]
fn completes_commands_options_and_designs_in_zsh() {
    if !is_installed("zsh") {
        return;
    }
    let place = Place::new();
    place.file("_fluo", place.runs("completions zsh").stdout);
    let session = place.program_at_terminal("zsh", "-f -i", &[]);
    session.types("bindkey -e; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D\r");
    session.types("print ready$((1))\r");
    session.waits_for("ready1");
    for (typed, expected) in COMPLETED {
        session.types(&format!("{typed}\t\u{1}print -r -- \u{5}\r"));
        session.waits_for(&format!("\n{expected}\r\n"));
    }
    session.types("exit\r");
    assert_eq!(session.ended().0, Some(0));
}

/// The shells of these scripts may be missing here.
#[test]
fn the_script_of_each_shell_has_the_words() {
    let place = Place::new();
    for (shell, start) in [
        ("bash", "_fluo() {"),
        ("elvish", "\nuse builtin;"),
        ("fish", "# Print"),
        ("powershell", "\nusing namespace System.Management.Automation"),
        ("zsh", "#compdef fluo"),
    ] {
        let script = place.runs(&format!("completions {shell}"));
        assert!(script.text().starts_with(start), "{shell}");
        assert_says(script.text(), "create-if-absent");
        let has_values = !["elvish", "powershell"].contains(&shell);
        assert_eq!(script.text().contains("base64"), has_values, "{shell}");
    }
}

#[test]
fn refuses_other_shells() {
    let place = Place::new();
    let message = place.fluo("completions csh").refuses_arguments();
    assert_says(&message, "[possible values: bash, elvish, fish, powershell, zsh]");
}

/// Runs a tool that checks a page, unless this machine has none.
fn check_page(place: &Place, page: &str) {
    let run = |tool: &str, options: &[&str]| -> Option<Output> {
        let file = place.path("man").join(page);
        Command::new(tool).args(options).arg(file).output().ok()
    };
    let lint = run("mandoc", &["-Tlint", "-Wwarning"]);
    let Some(checked) = lint.or_else(|| run("groff", &["-man", "-ww", "-z", "-Tutf8"])) else {
        return;
    };
    let run = Run::of(checked).succeeds();
    assert_eq!((run.text(), &*run.stderr), ("", ""), "{page}");
}

#[test]
fn writes_a_manual_page_for_each_command() {
    let place = Place::new();
    let mut command = place.command("man --dir man".split(' '));
    let run = Run::of(command.env("SOURCE_DATE_EPOCH", "1000000000").output().unwrap()).succeeds();
    let pages = place.names("man");
    assert!(pages.len() > 45);
    assert_eq!(run.stderr, format!("wrote {} manual pages to man\n", pages.len()));
    for name in ["fluo.1", "fluo-table.1", "fluo-table-load.1", "fluo-notifications-retry.1"] {
        assert!(pages.contains(&name.to_owned()), "{name}");
    }
    let page = place.read("man/fluo-key-add.1");
    let (title, version) =
        (page.lines().find(|line| line.starts_with(".TH ")), env!("CARGO_PKG_VERSION"));
    let title = title.unwrap().replace(r"\-", "-");
    assert_eq!(
        title,
        format!(".TH fluo-key-add 1 2001-09-09 \"fluo {version}\" \"Fluo for Rust\"")
    );
    assert_says(
        &page,
        "\n.SH EXAMPLES\n.nf\n  $ echo org.wikipedia/accumulo | fluo key add \\-\\-prefix p\n",
    );
    assert_says(
        &page,
        "\n.SH SYNOPSIS\n\\fBfluo key add\\fR [OPTIONS] <\\-\\-design <DESIGN>|\\-\\-spec <FILE.toml>|\\-\\-prefix <PREFIX>>\n",
    );
    for page in &pages {
        let page = place.read(&format!("man/{page}"));
        let (_, synopsis) = page.split_once(".SH SYNOPSIS\n").unwrap();
        let synopsis = synopsis.split(".SH").next().unwrap();
        assert!(synopsis.len() < 130 && synopsis.lines().count() == 1, "{synopsis}");
    }
    pages.iter().for_each(|page| check_page(&place, page));
    place.runs("man --dir man");
    let older = place.read("man/fluo.1") + "older";
    place.file("man/fluo.1", &older);
    place.file("man/fluo-table.1", "precious");
    assert_eq!(
        place.fails("man --dir man"),
        "cannot write man/fluo-table.1: the file exists and is not a manual page of `fluo`: \
         `fluo man` did not write it; name another file"
    );
    assert_eq!(place.read("man/fluo-table.1"), "precious");
    assert_eq!(place.read("man/fluo.1"), older, "all pages are written, or none");
    place.file("file", "");
    let message = place.fails("man --dir file/x");
    assert_says(&message, "cannot write manual pages to file/x: ");
}

#[test]
fn prints_its_version_with_the_formats() {
    let place = Place::new();
    let version = env!("CARGO_PKG_VERSION");
    place.fluo("--version").prints(format!("fluo {version}\n"));
    place.fluo("key add --version").prints(format!("fluo-key-add {version}\n"));
    let run = place.runs("version");
    assert_eq!(run.text().lines().next(), Some(&*format!("fluo {version}")));
    let json = place.runs("version --json").json();
    assert_eq!(json["version"], version);
    assert_eq!(json["formats"]["plan"], 1);
}

#[test]
fn all_ways_to_the_help_show_one_page() {
    let place = Place::new();
    let page = place.runs("table load --help").stdout;
    place.fluo("table load -h").prints(&page);
    place.fluo("help table load").prints(&page);
    let topic = place.runs("help accumulo").stdout;
    place.fluo("accumulo --at embedded:d").prints(topic);
}

#[test]
fn a_quiet_run_prints_errors_only() {
    let place = Place::new();
    place.fluo("-q table create --at embedded:d pages").prints("");
    place.fluo("table list --at embedded:d --quiet").prints("pages\n");
    let run = place.fluo("table create --at embedded:d -q pages");
    assert!(run.error().contains("pages"), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1);
    place.fluo("-q -v table list --at embedded:d").refuses_arguments();
}
