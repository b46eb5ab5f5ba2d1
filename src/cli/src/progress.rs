//! Progress lines for a person at a terminal. Nothing is drawn into a pipe.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::pin::pin;
use std::sync::LazyLock;
use std::time::Duration;

use fluo_table::{Grouped, Tablets};
use indicatif::{
    MultiProgress, ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressState, ProgressStyle,
};

use crate::mode;
use crate::text::whole;

/// All progress lines, which disappear while other lines are written.
static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Time before a progress line appears.
const AT_ONCE: Duration = Duration::from_secs(1);

pub(crate) fn counter(what: &str) -> ProgressBar {
    line("{spinner} {msg} {human_pos} ({rate}/s)", what.to_owned())
}

/// Shows the share of a total that is only an estimate.
pub(crate) fn parts(what: &str, total: u64) -> ProgressBar {
    let bar = line("{spinner} {msg} {bar:20} {percent} % ({rate}/s, {eta} left)", what.to_owned());
    bar.set_length(total);
    bar
}

/// Shows how much of a table was read, in the order of its rows, by the entries of its tablets.
pub(crate) struct TableReading {
    bar: ProgressBar,
    what: &'static str,
    /// Empty if their entries are not known.
    tablets: Tablets,
    /// The current tablet, the entries of those before it, and the number that was read of them.
    tablet: usize,
    entries_before: u64,
    read_before: u64,
    read: u64,
}

impl TableReading {
    pub(crate) fn new(what: &'static str, tablets: Tablets) -> Self {
        // Accumulo does not count entries in memory.
        let (bar, tablets) = match tablets.entries() {
            0 => (counter(what), Tablets::default()),
            entries => {
                let bar =
                    line("{spinner} {msg} {bar:20} {percent} % ({eta} left)", what.to_owned());
                bar.set_length(entries);
                (bar, tablets)
            }
        };
        Self { bar, what, tablets, tablet: 0, entries_before: 0, read_before: 0, read: 0 }
    }

    /// Shows the number of rows or cells that were read, up to this row.
    pub(crate) fn show(&mut self, read: u64, last: &[u8]) {
        let tablets = self.tablets.as_slice();
        let tablet = self.tablets.index_of(last);
        let Some(current) = tablets.get(tablet) else {
            return self.bar.set_position(read);
        };
        if tablet != self.tablet {
            let earlier = tablets.iter().take(tablet);
            self.entries_before = earlier.map(|tablet| tablet.entries).sum();
            (self.tablet, self.read_before) = (tablet, self.read);
        }
        self.read = read;
        self.bar.set_message(format!("{} {}", self.what, Grouped(read)));
        // Some entries are old versions, which are not read, or other cells of a counted row.
        let own = (read - self.read_before).min(current.entries);
        self.bar.set_position(self.entries_before + own);
    }
}

/// Counts bytes of a total, if that is known.
pub(crate) fn bytes(what: &str, total: Option<u64>) -> ProgressBar {
    let counts = match total {
        Some(_) => {
            "{spinner} {msg} {bar:10} {percent} %, {decimal_bytes} of {decimal_total_bytes} ({decimal_bytes_per_sec}, {eta} left)"
        }
        None => "{spinner} {msg} {decimal_bytes} ({decimal_bytes_per_sec})",
    };
    let bar = line(counts, what.to_owned());
    total.into_iter().for_each(|total| bar.set_length(total));
    bar
}

pub(crate) fn waiting(what: String) -> ProgressBar {
    line("{spinner} {msg} ({elapsed})", what)
}

/// Creates a line on standard error, if that is a terminal. Dropping it clears the line.
fn line(template: &str, message: String) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("the template is a constant");
    let style = style.progress_chars("█▉▊▋▌▍▎▏ ").with_key("rate", rate);
    let bar = ProgressBar::new_spinner().with_style(style).with_message(message);
    if mode::is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
        return bar;
    }
    let bar = LINES.add(bar.with_finish(ProgressFinish::AndClear));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Checks whether a terminal shows progress.
pub(crate) fn is_shown() -> bool {
    !mode::is_quiet() && io::stderr().is_terminal()
}

fn rate(state: &ProgressState, text: &mut dyn Write) {
    let _ = write!(text, "{}", whole(state.per_sec()));
}

/// Writes other lines to the terminal. Progress lines disappear during this call, so they are drawn
/// below. `write` must not draw progress.
pub(crate) fn above<T>(write: impl FnOnce() -> T) -> T {
    LINES.suspend(write)
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
