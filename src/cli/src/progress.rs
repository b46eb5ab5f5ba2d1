//! Progress for a person at a terminal; nothing in a pipe.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line that counts things as they are done, with their rate. It draws on standard error, and only where that
/// is a terminal.
pub(crate) fn counter(what: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {human_pos} ({per_sec})") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// A line that says what is waited for.
pub(crate) fn waiting(what: String) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// How long nothing is said of work that may be done at once.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Does work, and says so if it takes longer than a second.
pub(crate) async fn while_it_lasts<T>(what: String, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(AT_ONCE) => {}
    }
    let bar = waiting(what);
    let done = work.await;
    bar.finish_and_clear();
    done
}
