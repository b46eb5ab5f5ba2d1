//! The sources of a password or a secret: a file, a variable or a prompt, but never an argument.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::at::{At, set, text};
use crate::text::count_of;
use crate::{output, progress};

pub(super) const WAYS: &str = "set FLUO_PASSWORD, --password-file or FLUO_PASSWORD_FILE; for a proxy of Accumulo 2.x FLUO_SHARED_SECRET";

/// Maximum length of the line. It is far above any password, and bounds memory.
const MAX_BYTES: u64 = 64 * 1024;

/// Returns the secret of the file in the argument, or else of the variable, or else of the file in
/// `VARIABLE_FILE`, or else of the file in the profile.
pub(super) async fn find(
    what: &'static str,
    variable: &str,
    argument: &Option<PathBuf>,
    profile: &Option<PathBuf>,
) -> Result<Option<String>> {
    if argument.is_none()
        && let Some(secret) = text(variable)?
    {
        return Ok(Some(secret));
    }
    let set = || set(&format!("{variable}_FILE")).map(PathBuf::from);
    let Some(file) = argument.clone().or_else(set).or_else(|| profile.clone()) else {
        return Ok(None);
    };
    let reading = format!("waiting for the {what} of {}", file.display());
    let read = tokio::task::spawn_blocking(move || of_file(&file, what));
    // A pipe has no data until its writer writes.
    Ok(Some(progress::while_it_lasts(output::shown(&reading), read).await??))
}

fn of_file(path: &Path, what: &str) -> Result<String> {
    let name = path.display();
    let cannot_read = || format!("cannot read the {what} file {name}");
    let file = File::open(path).with_context(cannot_read)?;
    warn_if_others_can_read(path, &file, what);
    let mut line = Vec::new();
    let mut start = BufReader::new(file.take(MAX_BYTES + 1));
    let length = start.read_until(b'\n', &mut line).with_context(cannot_read)?;
    if count_of(length) > MAX_BYTES {
        bail!("the first line of the {what} file {name} is longer than {MAX_BYTES} bytes");
    }
    match String::from_utf8(line).as_ref().map(|line| line.trim_end_matches(['\r', '\n'])) {
        Err(_) => bail!("the first line of the {what} file {name} is not UTF-8 text"),
        Ok("") => bail!("the first line of the {what} file {name} is empty"),
        Ok(password) => Ok(password.to_owned()),
    }
}

#[cfg(unix)]
fn warn_if_others_can_read(path: &Path, file: &File, what: &str) {
    use std::os::unix::fs::PermissionsExt;

    const GROUP_OR_OTHERS_READ: u32 = 0o044;
    if let Ok(metadata) = file.metadata()
        && metadata.is_file()
        && metadata.permissions().mode() & GROUP_OR_OTHERS_READ != 0
    {
        let name = path.display();
        say!("warning: others can read the {what} file {name}; `chmod 600` keeps them out");
    }
}

#[cfg(not(unix))]
fn warn_if_others_can_read(_: &Path, _: &File, _: &str) {}

/// Asks for the password, without echo. Fails if standard error is not a terminal.
pub(super) async fn of_prompt(user: &str, at: &At) -> Result<String> {
    if !io::stderr().is_terminal() {
        bail!("the password of user `{user}` at {at} is not known ({WAYS})");
    }
    let question = output::shown(&format!("password of {user} at {at}: "));
    // Remember it here and not on the blocking thread, which cannot be cancelled: dropping this
    // restores the terminal.
    let mut terminal = Terminal {
        is_asking: true,
        // The prompt reads from this device.
        #[cfg(unix)]
        before: File::open("/dev/tty").ok().and_then(|terminal| {
            let attributes = rustix::termios::tcgetattr(&terminal).ok()?;
            Some((terminal, attributes))
        }),
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
    before: Option<(File, rustix::termios::Termios)>,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some((terminal, before)) = &self.before {
            use rustix::termios::{OptionalActions, tcsetattr};
            // Ignore the error of a closed terminal, which needs no restoring.
            let _ = tcsetattr(terminal, OptionalActions::Now, before);
        }
        if self.is_asking {
            // End the line of the question.
            output::say("");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(content: impl AsRef<[u8]>) -> Result<String> {
        // A temporary file is readable by its owner only.
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_ref()).unwrap();
        of_file(file.path(), "password")
    }

    #[test]
    fn reads_the_first_line_of_a_file() {
        for content in ["a b", "a b\n", "a b\r\n", "a b\nsecond\n"] {
            assert_eq!(read(content).unwrap(), "a b", "{content:?}");
        }
    }

    #[test]
    fn errors_do_not_show_the_content_of_the_file() {
        let message = |content: &[u8]| read(content).unwrap_err().to_string();
        assert!(message(b"").ends_with("is empty"));
        assert!(message(b"\nsecond\n").ends_with("is empty"));
        assert!(message(b"hidden\xff\n").ends_with("is not UTF-8 text"));
        assert!(!message(b"hidden\xff\n").contains("hidden"));
        assert!(message(&[b'x'; 70_000]).ends_with("is longer than 65536 bytes"));
    }
}
