//! The pictures of README, made by the programs that they show, and drawn by a browser.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context, Result};

use crate::cargo::{cargo, output, run, target, workspace};
use crate::parts::browser;

/// The address of the worker whose page is drawn.
const MONITOR: &str = "127.0.0.1:9469";
/// The time of the history in that picture.
const HISTORY: Duration = Duration::from_secs(62);
/// The lines of the demo up to its first heading.
const DEMO_LINES: usize = 23;
/// A terminal as a page, before the output of a command.
const TERMINAL: &str = "<!DOCTYPE html><meta charset=utf-8><style>\
    body{margin:0;padding:16px 20px;background:#14171c;color:#e3e7ec;font:15px/1.25 'DejaVu Sans Mono',monospace}\
    pre{margin:0;font:inherit}.p{color:#2db55b}.s1{font-weight:700}.s31{color:#f27d5a}</style><pre>";

/// Makes the pictures in `docs/pictures`.
pub(crate) fn pictures() -> Result<()> {
    let browser = browser().context("pictures need a browser: install Chromium")?;
    cargo(&["build", "--package", "fluo-cli"], &[])?;
    let fluo = target().join("debug/fluo");
    let made = target().join("pictures");
    fs::create_dir_all(&made)?;
    let draw = |page: &str, address: &OsStr, width: u32, height: u32| {
        let picture = workspace().join("docs/pictures").join(page).with_extension("png");
        run(
            &format!("{browser} --screenshot={}", picture.display()),
            Command::new(browser)
                // Root has no sandbox, as in a container. The pages are our own.
                .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
                // The page of a monitor asks for its figures after it is loaded.
                .arg("--virtual-time-budget=5000")
                .arg(format!("--window-size={width},{height}"))
                .arg(format!("--screenshot={}", picture.display()))
                .arg(address)
                .stderr(Stdio::null()),
        )
    };
    fs::create_dir_all(workspace().join("docs/pictures"))?;

    let orders: String = (0..100_000).map(|id| format!("order-{id:08}\n")).collect();
    fs::write(made.join("orders.txt"), orders)?;
    let advise = "advise --servers 4 orders.txt --html report.html";
    let arguments = advise.split(' ');
    output(advise, Command::new(&fluo).current_dir(&made).args(arguments))?;
    draw("report.html", made.join("report.html").as_os_str(), 1_280, 640)?;

    let demo = output("fluo demo", Command::new(&fluo).args(["--color", "always", "demo"]))?;
    fs::write(made.join("demo.html"), terminal("fluo demo", &demo))?;
    draw("demo.html", made.join("demo.html").as_os_str(), 780, 490)?;

    // A worker on a directory with waiting notifications is also its monitor.
    cargo(&["build", "--package", "fluo-rs", "--example", "22_words"], &[])?;
    let _ = fs::remove_dir_all(made.join("data"));
    let words = || {
        let mut words = Command::new(target().join("debug/examples/22_words"));
        words.env("FLUO_AT", "embedded:data").env("FLUO_HTTP", MONITOR).current_dir(&made);
        words
    };
    let pages = workspace().join("examples/data/package-homepages.txt");
    output("22_words load", words().arg("load").arg(pages))?;
    let mut worker = words().arg("worker").spawn()?;
    thread::sleep(HISTORY);
    let drawn = draw("monitor", format!("http://{MONITOR}/").as_ref(), 1_280, 900);
    worker.kill()?;
    worker.wait()?;
    drawn
}

/// Returns a page that shows the first lines of a command with their colors.
fn terminal(command: &str, shown: &str) -> String {
    let mut page = format!("{TERMINAL}<span class=p>$</span> {command}\n");
    let lines: Vec<_> = shown.lines().take(DEMO_LINES).collect();
    let escaped = lines.join("\n").replace('&', "&amp;").replace('<', "&lt;");
    let mut codes = escaped.split("\u{1b}[");
    page += codes.next().unwrap_or_default();
    let mut open = 0;
    for code in codes {
        let (number, text) = code.split_once('m').unwrap_or(("0", code));
        if number == "0" {
            page += &"</span>".repeat(open);
            open = 0;
        } else {
            page += &format!("<span class=s{number}>");
            open += 1;
        }
        page += text;
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_of_a_terminal_are_those_of_the_page() {
        let page = terminal("x", "a<b \u{1b}[1m\u{1b}[31mred\u{1b}[0m plain");
        let shown = page.strip_prefix(TERMINAL).unwrap();
        let expected = "<span class=p>$</span> x\na&lt;b <span class=s1><span class=s31>red</span></span> plain";
        assert_eq!(shown, expected);
    }
}
