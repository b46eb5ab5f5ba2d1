//! `fluo monitor` and `fluo top`.

#![cfg(unix)]

use crate::command::{Place, assert_says, ended, get, next_line, signal};
use crate::json::assert_described;

/// Creates the table of a spec, and an application.
fn place() -> Place {
    let place = Place::with_table();
    place.runs("app init --at embedded:d web");
    place
}

#[test]
fn top_prints_one_reading_without_a_terminal() {
    let place = place();
    let run = place.runs("top --at embedded:d --table pages=s.toml --metrics 127.0.0.1:1");
    let text = run.text();
    assert_says(text, "\n web                0       -             0        0            0");
    assert_says(text, "\n pages        1        0        0               -  ");
    assert_says(text, "transactions/s -  conflicts/s -");
    assert_says(text, " alarms\n! metrics of 127.0.0.1:1: Connection refused");
    assert_says(text, "\n! table `pages`: ");
    let run = place.runs("top --at embedded:d --count 2 --interval 1s --json");
    assert_eq!(run.text().lines().count(), 2);
}

#[test]
fn top_fills_the_screen_until_a_key_ends_it() {
    let place = place();
    for key in ["q", "\u{3}"] {
        let session = place.at_terminal("top --at embedded:d --interval 1h", &[]);
        session.waits_for("No alarms");
        session.waits_for_echo(false);
        session.types(&format!("x{key}"));
        let (code, shown) = session.ended();
        assert_eq!(code, Some(if key == "q" { 0 } else { 130 }), "{shown}");
        assert!(shown.starts_with("\u{1b}[?1049h\u{1b}[?25l\u{1b}[H"), "{shown:?}");
        assert!(shown.ends_with("\u{1b}[?25h\u{1b}[?1049l"), "{shown:?}");
    }
}

#[test]
fn refuses_wrong_options() {
    let place = place();
    for (arguments, message) in [
        ("--interval 10ms", "the interval is shorter than 1s"),
        (
            "--metrics https://worker:1",
            "`https://worker:1` is not an address of metrics; write HOST:PORT",
        ),
        ("--table pages=nope.toml", "cannot compare table `pages`"),
    ] {
        for command in ["top", "monitor"] {
            assert_says(&place.fails(&format!("{command} --at embedded:d {arguments}")), message);
        }
    }
    let missing = place.fails("monitor --at embedded:nope");
    assert_says(&missing, "the directory `nope` does not exist");
    assert_says(
        &place.fluo("monitor --at embedded:d --listen 9465").stderr,
        "'--listen <IP:PORT>'",
    );
}

#[test]
fn serves_the_page_until_a_signal() {
    let place = place();
    let (child, mut lines) = place.starts("monitor --at embedded:d --listen 127.0.0.1:0 --json");
    let line: serde_json::Value = serde_json::from_str(&next_line(&mut lines)).unwrap();
    assert_described("fluo monitor", std::slice::from_ref(&line));
    let address = line["url"].as_str().unwrap().strip_prefix("http://").unwrap();
    let get = |path| get(address, path);
    assert_says(&get("/"), "<title>Fluo monitor</title>");
    while !get("/metrics").contains("fluo_monitor_workers{application=\"web\"} 0\n") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_says(&get("/figures"), "\"at\":\"embedded:d\"");
    // No other process can open the directory, or listen there.
    let held = place.fails("top --at embedded:d");
    assert_says(&held, " is open in process ");
    let advice =
        "; `fluo monitor` shows these figures on its page, and a worker at its FLUO_HTTP address";
    assert_says(&held, advice);
    place.runs("table create --at embedded:e pages");
    let taken = place.fails(&format!("monitor --at embedded:e --listen {address}"));
    assert_says(&taken, &format!("cannot listen at {address} for /, /figures"));
    signal(child.id(), "INT");
    assert_eq!(ended(child).code, Some(130));
}
