//! The logs of a cluster, in a separate folder, because the runner deletes its directory when it
//! stops.

use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

/// Number of lines of a log that an error shows.
const LINES: usize = 15;

/// Messages of servers whose port is in use.
const PORT_TAKEN: [&str; 3] =
    ["Address already in use", "BindException", "Could not create ServerSocket"];

/// A folder of logs.
#[derive(Clone, Debug)]
pub(crate) struct Logs(pub(crate) PathBuf);

impl Logs {
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Links the output of the runner's children, which is in files in the runner's directory, into
    /// this folder. A link also shows later output, and remains when the original is deleted. Call
    /// this whenever there may be new files.
    pub(crate) fn adopt(&self, runner: &Path) {
        for entry in fs::read_dir(runner).into_iter().flatten().flatten() {
            let link = self.0.join(entry.file_name());
            if !link.exists() && fs::hard_link(entry.path(), &link).is_err() {
                // A link to another file system is impossible; then the current content is copied.
                let _ = fs::copy(entry.path(), &link);
            }
        }
    }

    /// Checks whether a log whose name begins with `start` reports that a port is in use.
    pub(crate) fn say_port_taken(&self, start: &str) -> bool {
        let files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut files = files.filter(|it| it.file_name().to_string_lossy().starts_with(start));
        files.any(|file| {
            let text = read(&file.path());
            PORT_TAKEN.iter().any(|sentence| text.contains(sentence))
        })
    }

    /// Returns the last lines of a log, for an error.
    pub(crate) fn tail(&self, name: &str) -> String {
        let text = read(&self.file(name));
        let lines: Vec<&str> = text.lines().collect();
        match lines.get(lines.len().saturating_sub(LINES)..) {
            None | Some([]) => format!("{name} is empty"),
            Some(last) => format!("the last lines of {name}:\n  {}", last.join("\n  ")),
        }
    }

    /// Tells the user where the logs are.
    pub(crate) fn say_where(&self) {
        say(&format!("the cluster's logs are in {}", self.0.display()));
    }
}

/// Returns the text of a file; an empty text if it cannot be read.
fn read(file: &Path) -> String {
    String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned()
}

/// Prints a line to standard error. The reader may have ended, so errors are ignored.
pub fn say(line: &str) {
    let _ = writeln!(stderr(), "{line}");
}
