//! Being asked to end.

use anyhow::Result;

/// Waits for Ctrl-C, a terminal that closes, or a request to end. It listens from the call on, not only when it is
/// waited for; from then on these no longer end the process by themselves.
#[cfg(unix)]
pub(crate) fn any() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut by_terminal = signal(SignalKind::hangup())?;
    let mut by_process = signal(SignalKind::terminate())?;
    let by_keyboard = keyboard()?;
    Ok(async move {
        tokio::select! {
            () = by_keyboard => (),
            _ = by_terminal.recv() => (),
            _ = by_process.recv() => (),
        }
    })
}

/// Waits for Ctrl-C. It listens from the call on.
#[cfg(unix)]
pub(crate) fn keyboard() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut by_keyboard = signal(SignalKind::interrupt())?;
    Ok(async move {
        by_keyboard.recv().await;
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn any() -> Result<impl Future<Output = ()>> {
    keyboard()
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn keyboard() -> Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
