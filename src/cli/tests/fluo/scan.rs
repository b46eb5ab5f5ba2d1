//! `fluo scan` prints the committed cells of an application, as of one moment.

use crate::application::{Web, page, place};
use crate::command::{Place, assert_says, ended, next_line};

const SCAN: &str = "scan --at embedded:d";

#[tokio::test]
async fn shows_the_lock_of_a_crashed_process_raw_and_resolves_it_otherwise() {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[(b"a", page("title"), b"committed")]).await;
    let start = web.crash_locking("a", &page("title")).await;
    drop(web);
    let raw = || place.runs(&format!("{SCAN} --raw web"));
    let lock = format!("a page:title [] {start}-LOCK\ta page title  WRITE NOT_DELETE NOT_TRIGGER ");
    assert_says(raw().text(), &lock);
    assert!(!raw().text().contains("DEL_LOCK"), "{}", raw().text());
    place.fluo(&format!("{SCAN} web")).prints("a page title \tcommitted\n");
    assert_says(raw().text(), &format!("a page:title [] {start}-DEL_LOCK\tABORT PRIMARY 0\n"));
    assert_says(raw().text(), &lock);
}

/// Creates more cells than a pipe holds.
async fn with_many_cells() -> Place {
    let place = place();
    let client = Web::open(&place).await.client().await;
    let value = vec![b'x'; 1_000];
    for part in 0..4 {
        client
            .run(async |tx| {
                (0..250).try_for_each(|row| {
                    tx.set(format!("{part}{row:03}"), &page("title"), value.clone())
                })
            })
            .await
            .unwrap();
    }
    place
}

#[tokio::test]
async fn a_closed_output_ends_a_scan_without_a_failure() {
    let place = with_many_cells().await;
    let all = place.runs(&format!("{SCAN} web"));
    assert_eq!(all.text().lines().count(), 1_000);
    assert_eq!(all.stderr, "");
    for arguments in ["", "--raw", "--format csv", "--json"] {
        let arguments = format!("{SCAN} {arguments} web");
        let run = place.head(&arguments).succeeds();
        assert_eq!(run.stderr, "", "{arguments}");
    }
    let full = std::path::Path::new("/dev/full");
    if full.exists() {
        let message = place.printing_into(&format!("{SCAN} web"), full).fails();
        assert_says(&message, "cannot write to standard output: No space left on device");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_ends_a_scan_that_waits_for_its_reader() {
    let place = with_many_cells().await;
    // The scan waits, because its output is not read further.
    let (child, mut stdout) = place.starts(&format!("{SCAN} web"));
    next_line(&mut stdout);
    crate::command::signal(child.id(), "INT");
    let run = ended(child);
    assert_eq!((run.code, run.stderr.as_str()), (Some(130), ""));
    place.runs(&format!("{SCAN} --limit 1 --raw web"));
}

#[cfg(unix)]
#[tokio::test]
async fn shows_no_progress_between_cells_at_a_terminal() {
    let place = place();
    let web = Web::open(&place).await;
    web.set(&[(b"org.wikipedia", page("title"), b"Wikipedia")]).await;
    drop(web);
    let (code, shown) = place.at_terminal(&format!("{SCAN} web"), &[]).ended();
    assert_eq!(code, Some(0));
    assert_says(&shown, "org.wikipedia page title");
    assert!(!shown.contains("cells") && !shown.contains('\u{1b}'), "{shown}");
}
