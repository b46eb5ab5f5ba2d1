//! Being asked to end.

use anyhow::Result;

/// What asks a command to end.
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
    /// As shells count a command that a signal ended: 128 and the number of the signal.
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            Self::Keyboard => 130,
            Self::Termination => 143,
            Self::Hangup => 129,
        }
    }
}

/// Waits for Ctrl-C, a terminal that closes, or a request to end. It listens from the call on, not only when it is
/// waited for; from then on these no longer end the process by themselves, but for a second Ctrl-C, which does at once.
#[cfg(unix)]
pub(crate) fn any() -> Result<impl Future<Output = Interruption>> {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::SIGINT;
    use signal_hook::flag;
    use tokio::signal::unix::{SignalKind, signal};

    // In this order: the first one passes the question and arms it for the second.
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

/// Whether whoever started this wants it to go on when the terminal closes, as `nohup` does. Listening would undo that.
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
