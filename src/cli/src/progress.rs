//! Progress lines for a person at a terminal. Nothing is drawn into a pipe.

use std::ops::Deref;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

/// All progress lines, which disappear while other lines are written.
static LINES: Mutex<Vec<WeakProgressBar>> = Mutex::new(Vec::new());

/// Time before a progress line appears.
const AT_ONCE: Duration = Duration::from_secs(1);

/// A progress line on standard error, if that is a terminal. Dropping it clears the line.
#[derive(Debug)]
pub(crate) struct Line(ProgressBar);

impl Deref for Line {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Creates a line that shows a count and its rate.
pub(crate) fn counter(what: &str) -> Line {
    line("{spinner} {msg} {human_pos} ({per_sec})", what.to_owned())
}

/// Creates a line that names the work in progress.
pub(crate) fn waiting(what: String) -> Line {
    line("{spinner} {msg} ({elapsed})", what)
}

pub(crate) fn hidden() -> Line {
    Line(ProgressBar::hidden())
}

fn line(template: &str, message: String) -> Line {
    let bar = ProgressBar::new_spinner();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(message);
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    lines.retain(|line| line.upgrade().is_some());
    lines.push(bar.downgrade());
    drop(lines);
    bar.enable_steady_tick(Duration::from_millis(100));
    Line(bar)
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

/// Awaits `work`, and shows a progress line if it takes longer than a second.
pub(crate) async fn while_it_lasts<T>(what: String, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(AT_ONCE) => {}
    }
    let _line = waiting(what);
    work.await
}
