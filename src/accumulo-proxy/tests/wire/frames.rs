//! The public calls against recorded frames: the client sends every recorded request again to the
//! byte, and understands every reply. `tests/frames/results.txt` has the results, or the kinds and
//! the reasons of the errors.
//!
//! The same exchanges record the frames when `tests/frames/record.py` runs the test `record`.

use tokio::io::AsyncWriteExt;

use crate::exchanges::{FOLDERS, Folder, bytes, exchanges, frames};
use crate::raw::{Raw, framed, read_request};

/// Starts a server that plays a recording. It closes the connection at the first byte that differs.
async fn play(folder: Folder, name: &str) -> Raw {
    let recording = folder.recording(name);
    Raw::start(move |mut stream| {
        let recording = recording.clone();
        async move {
            for line in recording.lines() {
                if let Some(request) = line.strip_prefix("> ") {
                    let found = read_request(&mut stream).await?;
                    assert_eq!(found.message, bytes(request));
                } else if let Some(reply) = line.strip_prefix("< ") {
                    stream.write_all(&framed(&bytes(reply))).await?;
                }
            }
            Ok(())
        }
    })
    .await
}

#[tokio::test]
async fn sends_the_recorded_requests_and_understands_the_replies() {
    let expected = frames("results.txt");
    for folder in FOLDERS {
        let mut results = String::new();
        for exchange in exchanges() {
            let server = play(folder, exchange.name).await;
            let result = exchange.make(folder, &server.address).await;
            let result =
                result.unwrap_or_else(|error| format!("{:?}: {}", error.kind(), error.reason()));
            results += &format!("{} => {result}\n", exchange.name);
        }
        assert_eq!(results, expected, "{folder:?}");
    }
}

#[tokio::test]
#[ignore = "tests/frames/record.py runs it"]
async fn record() {
    let current = std::env::var("FLUO_FRAMES_CURRENT").unwrap();
    for folder in FOLDERS {
        let variable = format!("FLUO_FRAMES_{}", folder.name().to_uppercase());
        let address = std::env::var(variable.replace('-', "_")).unwrap();
        for exchange in exchanges() {
            std::fs::write(&current, exchange.name).unwrap();
            // The other test checks the results.
            let _ = exchange.make(folder, &address).await;
        }
    }
}
