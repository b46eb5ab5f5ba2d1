//! Progress lines for a person at a terminal. Nothing is drawn into a pipe.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Creates a line that shows a count and its rate. It is drawn on standard error, if that is a
/// terminal.
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

/// Creates a line that names the work in progress.
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

/// Time before a progress line appears.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Awaits `work`, and shows a progress line if it takes longer than a second.
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
