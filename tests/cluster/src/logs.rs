//! The logs of a cluster: in a folder of their own, because the runner deletes its directory when it stops.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder;

/// How much of a log is shown in an error.
const LINES: usize = 15;

/// What a server says, in one way or another, when its port is in use.
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

    /// Brings what the runner's children print, in files under the runner's directory, here. A link still grows
    /// when its file is written, and stays when it is deleted; so this is done whenever there may be new ones.
    pub(crate) fn adopt(&self, runner: &Path) {
        for entry in fs::read_dir(runner).into_iter().flatten().flatten() {
            let link = self.folder.join(entry.file_name());
            if !link.exists() && fs::hard_link(entry.path(), &link).is_err() {
                // Another file system: what is there now is better than nothing.
                let _ = fs::copy(entry.path(), &link);
            }
        }
    }

    /// Whether one of the logs whose names start like this says that a port was taken.
    pub(crate) fn say_port_taken(&self, start: &str) -> bool {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = files.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
        let mut texts = files.filter_map(|entry| read(&entry.path()).ok());
        texts.any(|text| PORT_TAKEN.iter().any(|sentence| text.contains(sentence)))
    }

    /// The last lines of one of the logs, for an error.
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
