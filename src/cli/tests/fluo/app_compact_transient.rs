//! `fluo app compact-transient` drops garbage, once or repeatedly.

use crate::application::{Web, entries, page};
use crate::command::{Place, assert_says};

/// Creates a place with the application, which has the range from `q#` to `q:~`, and with a deleted
/// cell in it.
async fn place() -> Place {
    let place = Place::new();
    let range = "--set recipes.transientRange.queue=7123:713A7E";
    place.runs(&format!("app init --at embedded:d {range} web"));
    let web = Web::open(&place).await;
    web.set(&[(b"q:1", page("other"), b"v")]).await;
    let client = web.client().await;
    let delete = client.run(async |tx| tx.delete("q:1", &page("other")));
    delete.await.unwrap();
    place
}

#[tokio::test]
async fn drops_the_entries_of_a_deleted_cell() {
    let place = place().await;
    let before = entries(&place);
    let run = place.runs("app compact-transient --at embedded:d web");
    assert_says(run.text(), "queue (q#, q:~]: compacted in ");
    assert_eq!((run.text().lines().count(), run.stderr.as_str()), (1, ""));
    assert!(entries(&place) < before, "{before} entries before");
}

/// Signals end a command that repeats.
#[cfg(unix)]
mod repeatedly {
    use fluo_embedded::{EmbeddedOptions, EmbeddedTables};

    use super::*;
    use crate::command::{ended, next_line, signal};

    const REPEATING: &str = "app compact-transient --at embedded:d --every 50ms web";

    #[tokio::test]
    async fn repeats_until_a_signal_and_leaves_the_directory_to_others_in_between() {
        let place = place().await;
        let (child, mut stdout) = place.starts(REPEATING);
        for _ in 0..3 {
            assert_says(&next_line(&mut stdout), "queue (q#, q:~]: compacted in ");
        }
        drop(Web::open_when_free(&place).await);
        signal(child.id(), "TERM");
        let run = ended(child);
        assert_eq!((run.code, run.stderr.as_str()), (Some(143), ""));
    }

    #[tokio::test]
    async fn continues_after_a_failure() {
        let place = place().await;
        let (child, mut stdout) = place.starts(REPEATING);
        next_line(&mut stdout);
        let held = loop {
            if let Ok(tables) = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()) {
                break tables;
            }
        };
        let mut line = next_line(&mut stdout);
        while !line.contains("failed after") {
            line = next_line(&mut stdout);
        }
        assert_says(&line, "queue (q#, q:~]: failed after 0");
        drop(held);
        while !line.contains("compacted in") {
            line = next_line(&mut stdout);
        }
        signal(child.id(), "INT");
        assert_eq!(ended(child).code, Some(130));
    }
}
