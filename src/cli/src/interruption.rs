//! Signals that end a command.

use anyhow::Result;

/// The signal that ended a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// Ctrl-C (SIGINT).
    Keyboard,
    /// SIGTERM.
    Termination,
    /// A terminal that closes (SIGHUP).
    Hangup,
}

impl Interruption {
    /// Returns the exit code that shells use: 128 plus the number of the signal.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Keyboard => 130,
            Self::Termination => 143,
            Self::Hangup => 129,
        }
    }
}

/// Waits for Ctrl-C, SIGTERM or SIGHUP. Listens from the call on, even before the future is polled.
/// From then on these signals no longer end the process by themselves, except a second Ctrl-C,
/// which ends it at once.
#[cfg(unix)]
pub(crate) fn any() -> Result<impl Future<Output = Interruption>> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::SIGINT;
    use signal_hook::flag;
    use tokio::signal::unix::{SignalKind, signal};

    // The order matters: the first handler checks the flag, the second one sets it for the next
    // Ctrl-C.
    let came_before = Arc::new(AtomicBool::new(false));
    let code = i32::from(Interruption::Keyboard.exit_code());
    flag::register_conditional_shutdown(SIGINT, code, Arc::clone(&came_before))?;
    flag::register(SIGINT, came_before)?;

    let mut by_keyboard = signal(SignalKind::interrupt())?;
    let mut by_process = signal(SignalKind::terminate())?;
    let mut by_terminal = match is_hangup_ignored() {
        true => None,
        false => Some(signal(SignalKind::hangup())?),
    };
    Ok(async move {
        let hangup = async {
            match &mut by_terminal {
                Some(by_terminal) => by_terminal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = by_keyboard.recv() => Interruption::Keyboard,
            _ = by_process.recv() => Interruption::Termination,
            _ = hangup => Interruption::Hangup,
        }
    })
}

/// Checks whether this process was started with SIGHUP ignored, as by `nohup`. Listening would undo
/// that.
#[cfg(target_os = "linux")]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first bit is that of signal 1, which is SIGHUP.
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_hangup_ignored() -> bool {
    false
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn any() -> Result<impl Future<Output = Interruption>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
        Interruption::Keyboard
    })
}
