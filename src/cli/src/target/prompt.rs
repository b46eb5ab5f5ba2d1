//! The question for a password at a terminal.

use std::fs::File;
use std::io::{self, IsTerminal};

use anyhow::{Context, Result, bail};
use fluo_process::Profile;

use crate::output;
#[cfg(unix)]
use crate::saved_terminal::SavedTerminal;

pub(super) const WAYS: &str = "set FLUO_PASSWORD, --password-file or FLUO_PASSWORD_FILE; for a proxy of Accumulo 2.x FLUO_SHARED_SECRET";

/// Asks for the password, without echo. Fails if standard error is not a terminal.
pub(super) async fn of_prompt(user: &str, at: &Profile) -> Result<String> {
    if !io::stderr().is_terminal() {
        bail!(misuse!("the password of user `{user}` at {at} is not known ({WAYS})"));
    }
    let question = output::shown(&format!("password of {user} at {at}: "));
    // Remember it here and not on the blocking thread, which cannot be cancelled: dropping this
    // restores the terminal.
    let mut terminal = Terminal {
        is_asking: true,
        // The prompt reads from this device.
        #[cfg(unix)]
        _before: File::open("/dev/tty").ok().and_then(SavedTerminal::of),
    };
    let answer = tokio::task::spawn_blocking(|| rpassword::prompt_password(question)).await?;
    if answer.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
        // The prompt reads Ctrl-C as a key and signals this process. Wait until the signal ends
        // the command.
        return std::future::pending().await;
    }
    terminal.is_asking = false;
    match answer.with_context(|| format!("cannot ask for the password ({WAYS})"))? {
        password if password.is_empty() => bail!("no password was typed"),
        password => Ok(password),
    }
}

/// The terminal's state before the question. Dropping it restores that state. The prompt itself
/// restores it only after an answer, and an interrupted terminal would stay without echo.
struct Terminal {
    is_asking: bool,
    #[cfg(unix)]
    _before: Option<SavedTerminal<File>>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.is_asking {
            // End the line of the question.
            output::complain("");
        }
    }
}
