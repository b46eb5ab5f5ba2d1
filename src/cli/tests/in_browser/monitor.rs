//! The page of a monitor: live, and by keyboard.

use std::thread;
use std::time::{Duration, Instant};

use fluo_engine::{Client, Column, Error, Instance, InstanceExt};
use fluo_process::monitor::{Monitor, MonitorOptions, MonitorPort};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_table::{Bytes, TableAdmin};
use fluo_tests::STUCK;
use serde_json::Value;

use crate::browser::Browser;

const TEXT: Column = Column::from_static("page", "text");
const WIDTHS_PIXELS: [u32; 2] = [390, 1_280];
/// The last row of a tablet, which the page shows.
const HOSTILE: &str = "<img src=x onerror=document.title='bad'>\u{202e}";

/// A page with all its parts: queues, workers, dead letters and tables.
struct Page {
    browser: Browser,
    client: Client,
    port: Option<MonitorPort>,
}

impl Page {
    /// Opens the page. `None` without a browser.
    async fn open() -> Option<Self> {
        let mut browser = Browser::start()?;
        let fluo = Instance::in_memory();
        let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
        let web = fluo.application("web").recipe(&words);
        let web = web.observe(&TEXT, "measure", async |_, _| Ok::<_, Error>(()));
        let client = web.create().await.unwrap();
        client.run(async |tx| words.extend(&tx, [("cat", 1), ("dog", 1)])).await.unwrap();
        fluo.add_splits("web", &[Bytes::from(HOSTILE)].into()).await.unwrap();
        let coordination = fluo.applications().open("web").await.unwrap();
        let worker = coordination.join_workers().await.unwrap();
        std::mem::forget(worker);
        let options = MonitorOptions::new(HOSTILE).metrics(["127.0.0.1:1"]).unwrap();
        let monitor = Monitor::new(fluo, options);
        let pause = Duration::from_millis(200);
        let port = MonitorPort::open(([127, 0, 0, 1], 0).into(), monitor, pause).await.unwrap();
        browser.show(1_280, "light");
        browser.visit(&format!("http://{}/", port.address()));
        let mut page = Self { browser, client, port: Some(port) };
        page.waits_for(
            "document.querySelectorAll('figure').length > 2 || null",
            &Value::Bool(true),
        );
        Some(page)
    }

    async fn change(&self, row: &'static str) {
        self.client.run(async |tx| tx.set(row, &TEXT, "text")).await.unwrap();
    }

    /// Waits until a script has a value.
    #[track_caller]
    fn waits_for(&mut self, script: &str, expected: &Value) {
        let start = Instant::now();
        loop {
            let found = self.browser.evaluate(script);
            if found == *expected {
                return;
            }
            assert!(start.elapsed() < STUCK, "{script}: {found}, not {expected}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn text(&mut self, script: &str) -> String {
        self.browser.evaluate(script).as_str().unwrap().to_owned()
    }
}

const WAITING: &str = "[...document.querySelectorAll('#tiles div')].find((tile) => tile.firstChild.textContent === 'Notifications waiting').children[1].textContent";
const MARKED: &str = "document.querySelector('figure[data-title=\"Notifications waiting\"]').getAttribute('aria-label')";

#[tokio::test(flavor = "multi_thread")]
async fn shows_what_changes_until_it_is_paused() {
    let Some(mut page) = Page::open().await else { return };
    // The queue has a notification for each of its two buckets, or one.
    let before: u32 = page.text(WAITING).parse().unwrap();
    for row in ["a", "b"] {
        page.change(row).await;
    }
    page.waits_for(WAITING, &(before + 2).to_string().into());
    page.browser.press("p", 80);
    assert_eq!(page.text("document.getElementById('pause').getAttribute('aria-pressed')"), "true");
    page.change("c").await;
    let read = page.text("document.getElementById('read').textContent");
    // The page asks every two seconds.
    let asked = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/figures')).length";
    let count = page.browser.evaluate(asked).as_u64().unwrap();
    page.waits_for(&format!("{asked} > {}", count + 2), &Value::Bool(true));
    assert_eq!(page.text(WAITING), (before + 2).to_string());
    assert_eq!(page.text("document.getElementById('read').textContent"), read);
    page.browser.press("p", 80);
    page.waits_for(WAITING, &(before + 3).to_string().into());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_shows_each_reading_by_keyboard() {
    let Some(mut page) = Page::open().await else { return };
    page.waits_for("state.history.times_ms.length > 3", &Value::Bool(true));
    page.browser
        .evaluate("document.querySelector('figure[data-title=\"Notifications waiting\"]').focus()");
    assert!(page.text(MARKED).starts_with("Notifications waiting, now: web "));
    page.browser.press("Home", 36);
    let first = page.text("new Date(state.history.times_ms[0]).toLocaleTimeString()");
    assert!(page.text(MARKED).starts_with(&format!("Notifications waiting, {first}: web ")));
    let moved = "state.history.times_ms.indexOf(state.markers['Notifications waiting'])";
    for (key, number, place) in [("ArrowRight", 39, 1), ("ArrowRight", 39, 2), ("ArrowLeft", 37, 1)]
    {
        page.browser.press(key, number);
        assert_eq!(page.browser.evaluate(moved), place, "{key}");
    }
    page.browser.press("Escape", 27);
    assert!(page.text(MARKED).starts_with("Notifications waiting, now: web "));
}

#[tokio::test(flavor = "multi_thread")]
async fn fits_both_widths_in_both_themes() {
    let Some(mut page) = Page::open().await else { return };
    let mut grounds = Vec::new();
    for theme in ["light", "dark"] {
        for width in WIDTHS_PIXELS {
            page.browser.show(width, theme);
            let found = page.browser.faults("");
            assert!(found.is_empty(), "{theme}, {width}:\n{}", found.join("\n"));
        }
        grounds.push(page.text("getComputedStyle(document.body).backgroundColor"));
    }
    assert_eq!(grounds, ["rgb(251, 250, 247)", "rgb(20, 24, 27)"]);
    // Names are text, whatever they contain.
    assert_eq!(page.text("document.title"), "Fluo monitor");
    assert_eq!(page.browser.evaluate("document.querySelectorAll('img').length"), 0);
    assert!(page.text("document.getElementById('at').textContent").contains("<img src=x"));
    let alarms = page.text("document.getElementById('alarms').textContent");
    assert!(alarms.contains("metrics of 127.0.0.1:1: "), "{alarms}");
}

/// A page that no longer gets readings must not look as if all were well.
#[tokio::test(flavor = "multi_thread")]
async fn says_that_the_monitor_does_not_answer() {
    let Some(mut page) = Page::open().await else { return };
    page.port = None;
    let state = "document.getElementById('state')";
    let is_said = format!("{state}.textContent.startsWith('The monitor does not answer')");
    page.waits_for(&is_said, &Value::Bool(true));
    assert_eq!(page.text(&format!("{state}.className")), "bad");
}
