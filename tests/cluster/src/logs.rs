//! The logs of a cluster, in a separate folder, because the runner deletes its directory when it
//! stops.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder;

/// Number of lines of a log that an error shows.
const LINES: usize = 15;

/// Messages of servers whose port is in use.
const PORT_TAKEN: [&str; 3] = [
    "Address already in use",
    "BindException",
    "Could not create ServerSocket",
];

/// A folder of logs.
#[derive(Clone, Debug)]
pub(crate) struct Logs {
    folder: PathBuf,
}

impl Logs {
    pub(crate) fn fresh() -> anyhow::Result<Logs> {
        Ok(Logs {
            folder: folder::fresh(&folder::home().join("logs"))?,
        })
    }

    pub(crate) fn at(folder: &Path) -> Logs {
        Logs {
            folder: folder.to_owned(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Links the output of the runner's children, which is in files in the runner's directory, into
    /// this folder. A link also shows later output, and remains when the original is deleted. Call
    /// this whenever there may be new files.
    pub(crate) fn adopt(&self, runner: &Path) {
        for entry in fs::read_dir(runner).into_iter().flatten().flatten() {
            let link = self.folder.join(entry.file_name());
            if !link.exists() && fs::hard_link(entry.path(), &link).is_err() {
                // A link to another file system is impossible; then the current content is copied.
                let _ = fs::copy(entry.path(), &link);
            }
        }
    }

    /// Checks whether a log whose name begins with `start` reports that a port is in use.
    pub(crate) fn say_port_taken(&self, start: &str) -> bool {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = files.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
        let mut texts = files.filter_map(|entry| read(&entry.path()).ok());
        texts.any(|text| PORT_TAKEN.iter().any(|sentence| text.contains(sentence)))
    }

    /// Returns the last lines of a log, for an error.
    pub(crate) fn tail(&self, name: &str) -> String {
        let text = read(&self.file(name)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = lines
            .get(lines.len().saturating_sub(LINES)..)
            .unwrap_or_default();
        if last.is_empty() {
            return format!("{name} is empty");
        }
        format!("the last lines of {name}:\n  {}", last.join("\n  "))
    }

    pub(crate) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn read(file: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(file)?).into_owned())
}
