//! Signals that end a command.

use std::sync::Mutex;

use anyhow::Result;
use fluo_process::Signals;
use fluo_table::locked;

/// The state of the command, which is printed if a signal ends it. Commands that change nothing set
/// none.
static STATE: Mutex<Option<String>> = Mutex::new(None);

pub(crate) fn set_state(sentence: String) {
    *locked(&STATE) = Some(sentence);
}

pub(crate) fn state() -> Option<String> {
    locked(&STATE).clone()
}

/// Waits for Ctrl-C, SIGTERM or SIGHUP, and returns the exit code. Listens from the call on, even
/// before the future is polled. A second Ctrl-C ends the process at once.
pub(crate) fn any() -> Result<impl Future<Output = u8>> {
    end_at_second_interrupt()?;
    let mut signals = Signals::listen()?;
    Ok(async move { signals.next().await })
}

#[cfg(unix)]
fn end_at_second_interrupt() -> Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::SIGINT;
    use signal_hook::flag;

    // The order matters: the first handler checks the flag, the second one sets it for the next
    // Ctrl-C.
    let came_before = Arc::new(AtomicBool::new(false));
    flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&came_before))?;
    flag::register(SIGINT, came_before)?;
    Ok(())
}

#[cfg(not(unix))]
fn end_at_second_interrupt() -> Result<()> {
    Ok(())
}
