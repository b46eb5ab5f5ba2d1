//! Signals that end a command.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;

/// The state of the command, which is printed if a signal ends it. Commands that change nothing set
/// none.
static STATE: Mutex<Option<String>> = Mutex::new(None);

pub(crate) fn set_state(sentence: String) {
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(sentence);
}

pub(crate) fn state() -> Option<String> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The exit code after Ctrl-C (SIGINT). Shells use 128 plus the number of the signal.
const KEYBOARD: u8 = 130;

/// Waits for Ctrl-C, SIGTERM or SIGHUP, and returns the exit code. Listens from the call on, even
/// before the future is polled.
/// From then on these signals no longer end the process by themselves, except a second Ctrl-C,
/// which ends it at once.
#[cfg(unix)]
pub(crate) fn any() -> Result<impl Future<Output = u8>> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use futures::future::OptionFuture;
    use signal_hook::consts::SIGINT;
    use signal_hook::flag;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    // The order matters: the first handler checks the flag, the second one sets it for the next
    // Ctrl-C.
    let came_before = Arc::new(AtomicBool::new(false));
    let code = i32::from(KEYBOARD);
    flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&came_before))?;
    flag::register(SIGINT, came_before)?;

    let mut by_keyboard = signal(SignalKind::interrupt())?;
    let mut by_process = signal(SignalKind::terminate())?;
    // Listening would undo `nohup`.
    let mut by_terminal =
        (!is_hangup_ignored()).then(|| signal(SignalKind::hangup())).transpose()?;
    Ok(async move {
        let hangup = OptionFuture::from(by_terminal.as_mut().map(Signal::recv));
        tokio::select! {
            _ = by_keyboard.recv() => KEYBOARD,
            _ = by_process.recv() => 143,
            Some(_) = hangup => 129,
        }
    })
}

/// Checks whether this process was started with SIGHUP ignored.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    // Only Linux has this file.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first bit is that of signal 1, which is SIGHUP.
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn any() -> Result<impl Future<Output = u8>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
        KEYBOARD
    })
}
