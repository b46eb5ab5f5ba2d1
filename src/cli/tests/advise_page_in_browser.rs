//! The page of `fluo advise --html` in a real browser: in both themes, at the widths of a phone and
//! of a desktop.

#![cfg(test)]

mod command;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;

use command::{Place, ROWS};
use headless_chrome::protocol::cdp::Emulation::{
    MediaFeature, SetDeviceMetricsOverride, SetEmulatedMedia,
};
use headless_chrome::protocol::cdp::Page::CaptureScreenshotFormatOption;
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::Value;

/// The names of browsers.
const BROWSERS: [&str; 5] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
/// The environment variable with the folder for pictures of the pages.
const KEEP: &str = "FLUO_KEEP_SCREENSHOTS";

const THEMES: [&str; 2] = ["light", "dark"];
const WIDTHS_PIXELS: [u32; 2] = [390, 1_280];
const HEIGHT_PIXELS: u32 = 900;

/// A script that returns all faults of a page, as sentences.
const FAULTS: &str = include_str!("advise_page_in_browser/faults.js");

/// Starts a browser. `None` if `FLUO_WITHOUT_BROWSER` is set, as
/// `cargo xtask test --without-browser` does.
fn browser() -> Option<Browser> {
    if std::env::var_os("FLUO_WITHOUT_BROWSER").is_some() {
        return None;
    }
    let found = BROWSERS.iter().find_map(|name| in_path(name)).unwrap_or_else(|| {
        panic!("this test needs a browser: install Chromium (Debian: apt install chromium-headless-shell)")
    });
    let options = LaunchOptions::default_builder()
        .path(Some(found))
        // There is no sandbox for root, as in a container; the page is our own.
        .sandbox(false)
        .args(vec![OsStr::new("--disable-dev-shm-usage")])
        .build()
        .unwrap();
    Some(Browser::new(options).unwrap())
}

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// Returns pages of very different keys: the name of each, the file of its keys, and more
/// arguments.
fn pages() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let lines = |keys: Vec<String>| keys.join("\n").into_bytes();
    let ids = (0..100_000).map(|id| format!("{id:010}")).collect();
    let urls = (0..3_000).map(|page| match page % 3 {
        0 => format!(
            "https://www{}.example.org/<b>{page}</b>?a=1&b=\"2\"",
            page % 7
        ),
        _ => format!("https://shop.acme.com/{page}"),
    });
    let hostile = (0_u32..500).map(|number| {
        let name = "x".repeat(usize::try_from(number % 5).unwrap() * 60);
        format!("</script><img src=x onerror=alert(1)>{name}|&amp;\u{202e}{number}")
    });
    vec![
        ("homepages", ROWS.into(), "--servers 4"),
        ("monotonic", lines(ids), "--servers 50 --reads range"),
        ("urls", lines(urls.collect()), "--servers 4 --reads prefix"),
        (
            "hostile",
            lines(hostile.collect()),
            "--tablets 3 --unordered",
        ),
        ("one", b"a\n".to_vec(), ""),
    ]
}

#[test]
fn finds_no_fault_in_both_themes_at_two_widths() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let mut faults = Vec::new();
    for (name, keys, arguments) in pages() {
        place.file("keys", keys);
        let page = format!("{name}.html");
        place
            .fluo(&format!("advise keys --html {page} {arguments}"))
            .succeeds();
        let tab = browser.new_tab().unwrap();
        for theme in THEMES {
            for width in WIDTHS_PIXELS {
                show(&tab, width, theme);
                let url = format!("file://{}", place.path(&page).display());
                tab.navigate_to(&url)
                    .unwrap()
                    .wait_until_navigated()
                    .unwrap();
                let found = evaluate(&tab, FAULTS);
                let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
                faults.extend(
                    found
                        .iter()
                        .map(|fault| format!("{name}, {theme}, {width}: {fault}")),
                );
                keep(&tab, &format!("{name}-{theme}-{width}.png"));
            }
        }
        tab.close(true).unwrap();
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// A theme is more than a name: the background of the page is light in one and dark in the other.
#[test]
fn follows_the_theme_of_the_reader() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    place.file("keys", ROWS);
    place.fluo("advise keys --html page.html").succeeds();
    let tab = browser.new_tab().unwrap();
    let url = format!("file://{}", place.path("page.html").display());
    let ground = |theme| {
        show(&tab, 390, theme);
        tab.navigate_to(&url)
            .unwrap()
            .wait_until_navigated()
            .unwrap();
        evaluate(&tab, "getComputedStyle(document.body).backgroundColor")
    };
    assert_eq!(ground("light"), "rgb(255, 255, 255)");
    assert_eq!(ground("dark"), "rgb(20, 23, 28)");
}

/// Tab moves through the links, the disclosures and the regions that scroll, and Enter opens a
/// disclosure.
#[test]
fn supports_the_keyboard() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    place.file("keys", ROWS);
    place.fluo("advise keys --html page.html").succeeds();
    let tab = browser.new_tab().unwrap();
    show(&tab, 390, "light");
    let url = format!("file://{}", place.path("page.html").display());
    tab.navigate_to(&url)
        .unwrap()
        .wait_until_navigated()
        .unwrap();

    let focused =
        "document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()";
    tab.press_key("Tab").unwrap();
    assert_eq!(evaluate(&tab, focused), "A Skip to the advice");
    let mut reached = Vec::new();
    for _ in 0..60 {
        tab.press_key("Tab").unwrap();
        let name = evaluate(&tab, "document.activeElement.tagName");
        reached.push(name.as_str().unwrap().to_owned());
        if name == "SUMMARY" {
            break;
        }
    }
    assert!(
        reached.iter().filter(|name| *name == "A").count() >= 5,
        "{reached:?}"
    );
    assert!(
        reached.iter().any(|name| name == "DIV") && reached.ends_with(&["SUMMARY".to_owned()]),
        "{reached:?}"
    );
    let is_open = "document.activeElement.parentElement.open";
    assert_eq!(evaluate(&tab, is_open), false);
    tab.press_key("Enter").unwrap();
    assert_eq!(evaluate(&tab, is_open), true);
}

/// Tests the script: it finds each kind of fault in a page that was sound before.
#[test]
fn finds_each_kind_of_fault() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    place.file("keys", ROWS);
    place.fluo("advise keys --html page.html").succeeds();
    let page = place.read("page.html");
    let wide = r#"<div style="width:3000px">wide</div>"#;
    let over = r#"<p style="position:absolute;top:10px;left:20px">over the title</p>"#;
    for (from, to, fault) in [
        ("<main>", format!("<main>{wide}"), "wider than the window"),
        ("<main>", format!("<main>{over}"), "overlaps"),
        ("Tablet, by number", "Tablet".to_owned(), "has no unit"),
        ("% of all keys", "of all keys".to_owned(), "has no unit"),
        (
            "<summary>Table</summary>",
            "<summary>More</summary>".to_owned(),
            "has no table",
        ),
        (
            "<title>",
            "<script src=\"https://example.org/x.js\"></script><title>".to_owned(),
            "the network",
        ),
        (
            "color: var(--quiet)",
            "color: #ddd".to_owned(),
            "hard to read",
        ),
    ] {
        let broken = page.replace(from, &to);
        assert_ne!(broken, page, "{fault}");
        place.file("broken.html", broken);
        let tab = browser.new_tab().unwrap();
        show(&tab, 390, "light");
        let url = format!("file://{}", place.path("broken.html").display());
        tab.navigate_to(&url)
            .unwrap()
            .wait_until_navigated()
            .unwrap();
        let found = evaluate(&tab, FAULTS).to_string();
        assert!(found.contains(fault), "{fault}: {found}");
    }
}

fn show(tab: &Arc<Tab>, width: u32, theme: &str) {
    tab.call_method(SetDeviceMetricsOverride {
        width,
        height: HEIGHT_PIXELS,
        device_scale_factor: 1.0,
        mobile: width < 600,
        scale: None,
        screen_width: None,
        screen_height: None,
        position_x: None,
        position_y: None,
        dont_set_visible_size: None,
        screen_orientation: None,
        viewport: None,
        display_feature: None,
        device_posture: None,
    })
    .unwrap();
    tab.call_method(SetEmulatedMedia {
        media: None,
        features: Some(vec![MediaFeature {
            name: "prefers-color-scheme".to_owned(),
            value: theme.to_owned(),
        }]),
    })
    .unwrap();
}

fn evaluate(tab: &Arc<Tab>, script: &str) -> Value {
    // The browser returns an object as a reference, but its text completely.
    let text = format!("JSON.stringify({})", script.trim().trim_end_matches(';'));
    let value = tab.evaluate(&text, false).unwrap().value.unwrap();
    serde_json::from_str(value.as_str().unwrap()).unwrap()
}

fn keep(tab: &Arc<Tab>, name: &str) {
    let Some(folder) = std::env::var_os(KEEP) else {
        return;
    };
    let body = tab.wait_for_element("body").unwrap();
    let box_model = body.get_box_model().unwrap();
    let png = CaptureScreenshotFormatOption::Png;
    let picture = tab
        .capture_screenshot(png, None, Some(box_model.margin_viewport()), true)
        .unwrap();
    std::fs::write(PathBuf::from(folder).join(name), picture).unwrap();
}
