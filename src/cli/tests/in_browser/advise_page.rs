//! The page of `fluo advise --html`.

use crate::browser::Browser;
use crate::command::{Place, ROWS};

const THEMES: [&str; 2] = ["light", "dark"];
const WIDTHS_PIXELS: [u32; 2] = [390, 1_280];

/// A script that adds the faults that only this page can have.
const FAULTS: &str = include_str!("advice_faults.js");

/// Returns pages of very different keys: the name of each, the file of its keys, and more
/// arguments.
fn pages() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let lines = |keys: Vec<String>| keys.join("\n").into_bytes();
    let ids = (0..100_000).map(|id| format!("{id:010}")).collect();
    let urls = (0..3_000).map(|page| match page % 3 {
        0 => format!("https://www{}.example.org/<b>{page}</b>?a=1&b=\"2\"", page % 7),
        _ => format!("https://shop.acme.com/{page}"),
    });
    let hostile = (0_u32..500).map(|number| {
        let name = "x".repeat(usize::try_from(number % 5).unwrap() * 60);
        format!("</script><img src=x onerror=alert(1)>{name}|&amp;\u{202e}{number}")
    });
    vec![
        ("homepages", ROWS.into(), "--servers 4"),
        ("monotonic", lines(ids), "--servers 50 --reads range"),
        ("many", ROWS.into(), "--tablets 1000"),
        ("urls", lines(urls.collect()), "--servers 4 --reads prefix"),
        ("hostile", lines(hostile.collect()), "--tablets 3 --unordered"),
        ("same", "same\n".repeat(3_000).into(), "--tablets 8"),
        ("one", b"a\n".to_vec(), ""),
    ]
}

#[test]
fn finds_no_fault_in_both_themes_at_two_widths() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let place = Place::new();
    let mut faults = Vec::new();
    for (name, keys, arguments) in pages() {
        place.file("keys", keys);
        let page = format!("{name}.html");
        place.runs(&format!("advise keys --html {page} {arguments}"));
        for theme in THEMES {
            for width in WIDTHS_PIXELS {
                browser.show(width, theme);
                let file = place.path(&page);
                browser.open(&file);
                let found = browser.faults(FAULTS).into_iter();
                faults.extend(found.map(|fault| format!("{name}, {theme}, {width}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Starts a browser, and makes `page.html` of real keys. `None` without a browser.
fn with_page() -> Option<(Browser, Place)> {
    let browser = Browser::start()?;
    let place = Place::new();
    place.file("keys", ROWS);
    place.runs("advise keys --html page.html");
    Some((browser, place))
}

/// A design that is advised as the least bad one has the edge of a bad design.
#[test]
fn marks_the_least_bad_design_as_bad() {
    let Some((mut browser, place)) = with_page() else {
        return;
    };
    place.file("same", "same\n".repeat(3_000));
    place.runs("advise same --tablets 8 --html same.html");
    let mut edge = |page| {
        browser.show(1_280, "light");
        browser.open(&place.path(page));
        browser.evaluate("getComputedStyle(document.querySelector('.advised')).boxShadow")
    };
    assert_eq!(edge("page.html"), "rgb(27, 109, 54) 4px 0px 0px 0px inset");
    assert_eq!(edge("same.html"), "rgb(174, 51, 14) 4px 0px 0px 0px inset");
}

/// A theme is more than a name: the background of the page is light in one and dark in the other.
#[test]
fn follows_the_theme_of_the_reader() {
    let Some((mut browser, place)) = with_page() else {
        return;
    };
    let file = place.path("page.html");
    let mut ground = |theme| {
        browser.show(390, theme);
        browser.open(&file);
        browser.evaluate("getComputedStyle(document.body).backgroundColor")
    };
    assert_eq!(ground("light"), "rgb(255, 255, 255)");
    assert_eq!(ground("dark"), "rgb(20, 23, 28)");
}

/// Tab moves through the links and the regions that scroll.
#[test]
fn supports_the_keyboard() {
    let Some((mut browser, place)) = with_page() else {
        return;
    };
    browser.show(390, "light");
    browser.open(&place.path("page.html"));
    let focused =
        "document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()";
    browser.press_tab();
    assert_eq!(browser.evaluate(focused), "A Skip to the advice");
    let mut reached = Vec::new();
    for _ in 0..5 {
        browser.press_tab();
        let name = browser.evaluate("document.activeElement.tagName");
        reached.push(name.as_str().unwrap().to_owned());
    }
    assert_eq!(reached, ["A", "A", "A", "A", "PRE"]);
}

/// Tests the script: it finds each kind of fault in a page that was sound before.
#[test]
fn finds_each_kind_of_fault() {
    let Some((mut browser, place)) = with_page() else {
        return;
    };
    let page = place.read("page.html");
    let wide = r#"<div style="width:3000px">wide</div>"#;
    let over = r#"<p style="position:absolute;top:10px;left:20px">over the title</p>"#;
    for (from, to, fault) in [
        ("<main>", format!("<main>{wide}"), "wider than the window"),
        ("<main>", format!("<main>{over}"), "overlaps"),
        ("aria-label=\"Heat", "title=\"Heat".to_owned(), "has no name"),
        ("<h1>", "<h1 style=\"height:500px\">".to_owned(), "below the first screen"),
        ("td[data-label]::before", "td.none::before".to_owned(), "`newest in one` is invisible"),
        ("hot end", "suitable".to_owned(), "has an alarm"),
        ("<text ", "<text></text><text ".to_owned(), "by color only"),
        ("stroke-width: .8em", "stroke-width: 3".to_owned(), "bars cross the figure"),
        ("--level-0: #5895c0", "--level-0: #d5e3ef".to_owned(), "a cell is hard to see"),
        ("--level-1: #2873be", "--level-1: #5895c0".to_owned(), "a level is hard to see"),
        (
            "<title>",
            "<script src=\"https://example.org/x.js\"></script><title>".to_owned(),
            "the network",
        ),
        ("color: var(--quiet)", "color: #ddd".to_owned(), "hard to read"),
    ] {
        let broken = page.replace(from, &to);
        assert!(broken != page, "{from} is not in the page");
        place.file("broken.html", broken);
        browser.show(390, "light");
        let file = place.path("broken.html");
        browser.open(&file);
        let found = browser.faults(FAULTS).join("\n");
        assert!(found.contains(fault), "{fault}: {found}");
    }
}
