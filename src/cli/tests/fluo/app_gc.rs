//! `fluo app gc` drops old versions, once or repeatedly.

use crate::application::{Web, entries, page};
use crate::command::{Place, assert_says};

const GC: &str = "app gc --at embedded:d";

/// Creates a place with the application, and writes versions of a cell.
async fn place() -> Place {
    let place = Place::new();
    place.runs("app init --at embedded:d web");
    let web = Web::open(&place).await;
    for value in [b"1", b"2", b"3"] {
        web.set(&[(b"r", page("text"), value)]).await;
    }
    place
}

#[tokio::test]
async fn drops_old_versions_and_prints_the_horizon() {
    let place = place().await;
    let before = entries(&place);
    let run = place.runs(&format!("{GC} web"));
    assert_says(run.text(), ": collected the garbage before timestamp ");
    assert_eq!((run.text().lines().count(), run.stderr.as_str()), (1, ""));
    assert!(entries(&place) < before, "{before} entries before");
    let web = Web::open(&place).await;
    let snapshot = web.client().await.snapshot().await.unwrap();
    let value = snapshot.get("r", &page("text")).await.unwrap();
    assert_eq!(value.as_deref(), Some(&b"3"[..]));
}

/// Signals end a command that repeats.
#[cfg(unix)]
#[tokio::test]
async fn repeats_until_a_signal_and_leaves_the_directory_to_others_in_between() {
    use crate::command::{ended, next_line, signal};

    let place = place().await;
    let (child, mut stdout) = place.starts(&format!("{GC} --every 50ms web"));
    for _ in 0..2 {
        assert_says(&next_line(&mut stdout), ": collected the garbage before timestamp ");
    }
    drop(Web::open_when_free(&place).await);
    signal(child.id(), "TERM");
    assert_eq!(ended(child).code, Some(143));
}
