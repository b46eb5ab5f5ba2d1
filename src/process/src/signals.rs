//! Signals that end a process.

use fluo_table::{Error, ErrorKind, Result};

/// Ctrl-C (SIGINT), SIGTERM and SIGHUP, which no longer end the process by themselves. SIGHUP still
/// has no effect on a process that was started with `nohup`.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    signals: Vec<(u8, tokio::signal::unix::Signal)>,
}

/// The exit code after Ctrl-C. Shells use 128 plus the number of the signal.
const KEYBOARD: u8 = 130;

#[cfg(unix)]
impl Signals {
    /// Listens from this call on.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) if the system refuses to.
    pub fn listen() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut kinds = vec![(KEYBOARD, SignalKind::interrupt()), (143, SignalKind::terminate())];
        // Listening would undo `nohup`.
        if !is_hangup_ignored() {
            kinds.push((129, SignalKind::hangup()));
        }
        let signals = kinds.into_iter().map(|(code, kind)| Ok((code, signal(kind)?)));
        let signals = signals.collect::<std::io::Result<_>>().map_err(|error| {
            Error::with_source(ErrorKind::Unavailable, "signals cannot be received", error)
        })?;
        Ok(Self { signals })
    }

    /// Waits for the next signal, and returns the exit code that shells use for it.
    pub async fn next(&mut self) -> u8 {
        let next = self.signals.iter_mut().map(|(code, signal)| {
            Box::pin(async move {
                signal.recv().await;
                *code
            })
        });
        futures::future::select_all(next).await.0
    }
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

#[cfg(not(unix))]
impl Signals {
    /// Listens for Ctrl-C.
    ///
    /// # Errors
    ///
    /// None on this system.
    pub fn listen() -> Result<Self> {
        Ok(Self {})
    }

    /// Waits for Ctrl-C, and returns the exit code that shells use for it.
    pub async fn next(&mut self) -> u8 {
        // Without the handler there is no signal to wait for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        KEYBOARD
    }
}
