//! The target of a command: arguments, environment and profiles.

use crate::command::{Place, Run, assert_says};

const CONFIGURATION: &str = "[at.data]\ntarget = \"embedded:d\"\n\n[at.cluster]\n\
    target = \"proxy:localhost:1\"\nuser = \"fluo\"\n";

fn run(place: &Place, variables: &[(&str, &str)], arguments: &str) -> Run {
    let mut command = place.command(arguments.split_whitespace());
    command.envs(variables.iter().copied());
    Run::of(command.output().unwrap())
}

#[test]
fn a_profile_and_the_environment_name_a_directory() {
    let place = Place::new();
    place.file("config.toml", CONFIGURATION);
    place.fluo("app init --at embedded:d web").succeeds();
    for (variables, arguments) in [
        (&[("FLUO_AT", "embedded:d")][..], "app status web"),
        (
            &[("FLUO_CONFIG", "config.toml")],
            "app status --at data web",
        ),
        (
            &[("FLUO_CONFIG", "config.toml"), ("FLUO_AT", "data")],
            "table list",
        ),
        // An argument takes precedence.
        (
            &[("FLUO_AT", "embedded:missing")],
            "app status --at embedded:d web",
        ),
    ] {
        let run = run(&place, variables, arguments).succeeds();
        assert!(
            matches!(run.text(), "STOPPED\n" | "web\n"),
            "{}",
            run.text()
        );
    }
}

#[test]
fn wrong_targets_are_refused_with_a_correction() {
    let place = Place::new();
    place.file("config.toml", CONFIGURATION);
    place.file(
        "wrong.toml",
        "[at.data]\ntarget = \"embedded:d\"\npassword = \"x\"\n",
    );
    place.fluo("app init --at embedded:d web").succeeds();
    for (variables, arguments, expected) in [
        (
            &[][..],
            "app status web",
            "the following required arguments were not provided:\n  --at <TARGET>",
        ),
        (
            &[("FLUO_AT", "")],
            "app status web",
            "the location is missing; write embedded:DIR",
        ),
        (
            &[("FLUO_CONFIG", "none.toml")],
            "app status --at data web",
            "nor a profile: there is no configuration file none.toml",
        ),
        (
            &[("FLUO_CONFIG", "config.toml")],
            "app status --at other web",
            "the configuration file config.toml: there is no profile `other`; there are cluster, data",
        ),
        (
            &[("FLUO_CONFIG", "wrong.toml")],
            "app status --at data web",
            "the configuration file wrong.toml: line 3: unknown field `password`",
        ),
        (
            &[("FLUO_CONFIG", "config.toml"), ("FLUO_PASSWORD", "x")],
            "app status --at cluster web",
            "applications on Accumulo are in ZooKeeper: give --zookeepers HOST:PORT/PATH or set FLUO_ZOOKEEPERS",
        ),
        (
            &[],
            "app status --at embedded:d --zookeepers h:1/p web",
            "--zookeepers is for a live Accumulo (--at proxy:HOST:PORT); embedded:d has its applications in its directory",
        ),
        (
            &[],
            "oracle --at embedded:d web",
            "an application in an embedded directory, as in embedded:d, needs no oracle",
        ),
        (
            &[],
            "oracle web",
            "applications on Accumulo are in ZooKeeper",
        ),
        (
            &[],
            "oracle --zookeepers h:1/p --host a:1 web",
            "`a:1` cannot be the host of an oracle",
        ),
    ] {
        let run = run(&place, variables, arguments);
        assert_eq!((run.code, run.text()), (Some(2), ""), "{arguments}");
        assert_says(&run.stderr, expected);
    }
}
