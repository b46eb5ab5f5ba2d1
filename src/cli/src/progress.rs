//! Progress lines for a person at a terminal. Nothing is drawn into a pipe.

use std::future::Future;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

/// All progress lines, which disappear while other lines are written.
static LINES: Mutex<Vec<WeakProgressBar>> = Mutex::new(Vec::new());

/// Creates a line that shows a count and its rate. It is drawn on standard error, if that is a
/// terminal.
pub(crate) fn counter(what: &str) -> ProgressBar {
    let bar = spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {human_pos} ({per_sec})") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Creates a line that names the work in progress.
pub(crate) fn waiting(what: String) -> ProgressBar {
    let bar = spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.retain(|line| line.upgrade().is_some());
    lines.push(bar.downgrade());
    bar
}

/// Writes other lines to the terminal. Progress lines disappear during this call, so they are drawn
/// below. `write` must not draw progress.
pub(crate) fn above(write: &mut dyn FnMut()) {
    let bars: Vec<_> = {
        let lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().filter_map(WeakProgressBar::upgrade).collect()
    };
    suspended(&bars, write);
}

fn suspended(bars: &[ProgressBar], write: &mut dyn FnMut()) {
    match bars.split_first() {
        Some((bar, rest)) => bar.suspend(|| suspended(rest, write)),
        None => write(),
    }
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
