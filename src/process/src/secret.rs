//! Passwords and secrets: a text, or the first line of a file.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use fluo_table::{Error, ErrorKind, Result, counted};
use tracing::warn;

/// Maximum length of the line. It is far above any password, and bounds memory.
const MAX_BYTES: u64 = 64 * 1024;

/// A password or a secret. `Debug` output does not contain its text.
#[derive(Clone, PartialEq, Eq)]
pub enum Secret {
    /// The secret itself.
    Text(String),
    /// A file with the secret in its first line.
    File(PathBuf),
}

impl Secret {
    /// Returns the secret. Logs a warning if all users can read its file. `what` names it in
    /// errors, such as `password`.
    pub(crate) async fn read(&self, what: &'static str) -> Result<String> {
        let file = match self {
            Self::Text(text) => return Ok(text.clone()),
            Self::File(file) => file.clone(),
        };
        let read = tokio::task::spawn_blocking(move || first_line(&file, what)).await;
        read.map_err(|error| Error::unavailable(format!("the {what} was not read: {error}")))?
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text"),
            Self::File(file) => f.debug_tuple("File").field(file).finish(),
        }
    }
}

/// Returns the content of a file that is a secret. Logs a warning if all users can read it.
pub(crate) fn read_file(path: &Path, what: &str) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    let mut file = open(path, what)?;
    file.read_to_end(&mut content).map_err(|error| cannot_read(path, what, error))?;
    Ok(content)
}

fn open(path: &Path, what: &str) -> Result<File> {
    let file = File::open(path).map_err(|error| cannot_read(path, what, error))?;
    warn_if_others_can_read(path, &file, what);
    Ok(file)
}

fn cannot_read(path: &Path, what: &str, error: io::Error) -> Error {
    let message = format!("cannot read the {what} file {}", path.display());
    Error::with_source(ErrorKind::Invalid, message, error)
}

fn first_line(path: &Path, what: &str) -> Result<String> {
    let name = path.display();
    let file = open(path, what)?;
    let mut line = Vec::new();
    let mut start = BufReader::new(file.take(MAX_BYTES + 1));
    let length = start.read_until(b'\n', &mut line);
    let length = length.map_err(|error| cannot_read(path, what, error))?;
    let text = String::from_utf8(line);
    let reason = match text.as_ref().map(|line| line.trim_end_matches(['\r', '\n'])) {
        _ if u64::try_from(length).is_ok_and(|length| length > MAX_BYTES) => {
            format!("longer than {}", counted(MAX_BYTES, "byte"))
        }
        Err(_) => "not UTF-8 text".to_owned(),
        Ok("") => "empty".to_owned(),
        Ok(secret) => return Ok(secret.to_owned()),
    };
    Err(Error::invalid(format!("the first line of the {what} file {name} is {reason}")))
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
        warn!("others can read the {what} file {name}; `chmod 600` keeps them out");
    }
}

#[cfg(not(unix))]
fn warn_if_others_can_read(_: &Path, _: &File, _: &str) {}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(content: impl AsRef<[u8]>) -> Result<String> {
        // A temporary file is readable by its owner only.
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_ref()).unwrap();
        first_line(file.path(), "password")
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
        assert!(message(&[b'x'; 70_000]).ends_with("is longer than 65,536 bytes"));
    }

    #[test]
    fn debug_output_does_not_contain_the_secret() {
        assert_eq!(format!("{:?}", Secret::Text("hidden".to_owned())), "Text");
    }
}
