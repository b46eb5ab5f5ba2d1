//! Every command documents itself.

use crate::command::{Place, assert_says};

const COMMANDS: [&str; 49] = [
    "",
    "key",
    "key add",
    "key remove",
    "key splits",
    "key group",
    "key explain",
    "key spans",
    "key design",
    "table",
    "table create",
    "table delete",
    "table list",
    "table show",
    "table load",
    "table check",
    "table migrate",
    "table plan",
    "table apply",
    "table verify",
    "table watch",
    "app",
    "app init",
    "app list",
    "app status",
    "app config",
    "app remove",
    "app compact-transient",
    "app gc",
    "app plan",
    "app apply",
    "app verify",
    "app rebucket",
    "scan",
    "notifications",
    "notifications list",
    "notifications failed",
    "notifications retry",
    "notifications discard",
    "queue",
    "queue list",
    "queue show",
    "queue failed",
    "queue retry",
    "queue discard",
    "wait",
    "oracle",
    "advise",
    "demo",
];

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    for command in COMMANDS {
        for help in ["--help", "-h"] {
            let run = place.fluo(&format!("{command} {help}")).succeeds();
            assert_says(run.text(), "Example:\n");
            assert_says(run.text(), "Usage: fluo");
            assert_eq!(run.stderr, "");
        }
    }
}

#[test]
fn help_of_every_table_command_describes_a_live_accumulo() {
    let place = Place::new();
    for command in COMMANDS.iter().filter(|name| name.starts_with("table ")) {
        let run = place.fluo(&format!("{command} --help")).succeeds();
        let (_, live) = run
            .text()
            .split_once("\nLive Accumulo (--at proxy:HOST:PORT):\n")
            .unwrap();
        let options = live.split("\nExample:").next().unwrap();
        let words: Vec<_> = options.split_whitespace().collect();
        for word in [
            "--user",
            "FLUO_USER",
            "FLUO_PASSWORD,",
            "--password-file",
            "FLUO_PASSWORD_FILE",
            "--protocol",
        ] {
            assert!(
                words.iter().any(|found| found.starts_with(word)),
                "{command}: {word}"
            );
        }
        assert!(!words.contains(&"--password"), "{command}");
        assert!(
            !words.contains(&"--spec"),
            "{command}: another argument is under this heading"
        );
        assert_says(run.text(), "proxy:HOST:PORT");
    }
}

#[test]
fn help_of_every_command_on_applications_describes_zookeeper() {
    let place = Place::new();
    for command in COMMANDS {
        let is_group = matches!(command, "app" | "notifications" | "queue");
        let on_applications = ["app", "scan", "notifications", "queue", "wait", "oracle"]
            .iter()
            .any(|group| command.split(' ').next() == Some(*group));
        if is_group || !on_applications {
            continue;
        }
        let run = place.fluo(&format!("{command} --help")).succeeds();
        let (_, live) = run
            .text()
            .split_once("\nApplications on a live Accumulo:\n")
            .unwrap();
        for word in [
            "--zookeepers",
            "FLUO_ZOOKEEPERS",
            "FLUO_ZOOKEEPER_SECRET",
            "--zookeeper-secret-file",
        ] {
            assert!(live.contains(word), "{command}: {word}");
        }
        assert!(!live.contains("--zookeeper-secret "), "{command}");
        assert_says(run.text(), "[env: FLUO_AT]");
    }
}

#[test]
fn help_names_the_bounds_of_numbers() {
    let place = Place::new();
    for (command, bounds) in [
        ("table create", "from 1 on"),
        ("table watch", "from 100ms on"),
        ("key splits", "1 to 2,097,152"),
        ("key explain", "1 to 2,097,152"),
        ("advise", "1 to 65,536"),
        ("scan", "0 prints none"),
        ("notifications list", "0 prints none"),
    ] {
        let run = place.fluo(&format!("{command} --help")).succeeds();
        let words: Vec<_> = run.text().split_whitespace().collect();
        assert_says(&words.join(" "), bounds);
    }
    for (design, bounds) in [
        ("modulo", "1 to 1,000,000"),
        ("random-salt", "2 to 65,536"),
        ("digest-salt", "1 to 8"),
    ] {
        let run = place.fluo(&format!("key design --design {design}"));
        assert_says(run.succeeds().text(), bounds);
    }
}

#[test]
fn list_of_commands_is_complete() {
    let place = Place::new();
    for group in ["", "key", "table", "app", "notifications", "queue"] {
        let run = place.fluo(&format!("{group} --help")).succeeds();
        let listed = run
            .text()
            .lines()
            .skip_while(|line| *line != "Commands:")
            .skip(1);
        for line in listed.take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            let command = format!("{group} {name}");
            assert!(
                name == "help" || COMMANDS.contains(&command.trim()),
                "{command}"
            );
        }
    }
}

#[test]
fn a_missing_command_prints_the_help_as_an_error() {
    let place = Place::new();
    for command in ["", "key", "table", "app", "notifications", "queue"] {
        let run = place.fluo(command);
        assert_eq!((run.code, run.text()), (Some(2), ""));
        assert_says(&run.stderr, "Usage: fluo");
    }
    assert_says(
        &place.fluo("nope").refuses_arguments(),
        "unrecognized subcommand 'nope'",
    );
}

#[test]
fn version_is_that_of_the_package() {
    Place::new()
        .fluo("--version")
        .prints(concat!("fluo ", env!("CARGO_PKG_VERSION"), "\n"));
}
