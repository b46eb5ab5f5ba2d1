//! The directory of an embedded target, and why it cannot be opened.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_core::{Error, ErrorKind};
use fluo_embedded::{EmbeddedApplications, EmbeddedTables, Settings};

use super::place;

/// Where an application is. The commands on applications have no other targets.
#[derive(Args, Debug)]
pub(crate) struct DirectoryArguments {
    /// Where the application is: embedded:DIR
    #[arg(long, value_name = "TARGET", value_parser = place::directory)]
    at: PathBuf,
}

impl DirectoryArguments {
    /// As it is given to `--at`.
    pub(crate) fn written(&self) -> String {
        format!("embedded:{}", self.at.display())
    }

    /// The tables and the applications of a directory that exists.
    pub(crate) fn open(&self) -> Result<(EmbeddedTables, EmbeddedApplications)> {
        self.opened("`fluo app init` makes it, with a first application", false)
    }

    /// The tables and the applications of a directory, which is made where it does not exist.
    pub(crate) fn open_or_create(&self) -> Result<(EmbeddedTables, EmbeddedApplications)> {
        self.opened("it could not be made", true)
    }

    fn opened(
        &self,
        advice: &str,
        create_if_missing: bool,
    ) -> Result<(EmbeddedTables, EmbeddedApplications)> {
        let settings = Settings {
            create_if_missing,
            ..Settings::default()
        };
        let tables = open(&self.at, settings, advice)?;
        let applications = tables.applications();
        Ok((tables, applications))
    }
}

/// Opens a directory; `advice` is for one that is not there.
pub(super) fn open(directory: &Path, settings: Settings, advice: &str) -> Result<EmbeddedTables> {
    EmbeddedTables::open(directory, settings).map_err(|error| match advice_on(&error, advice) {
        Some(advice) => {
            anyhow!(error).context(format!("embedded:{}: {advice}", directory.display()))
        }
        None => error.into(),
    })
}

/// What is to be said before an error that names the path and what the system says of it.
fn advice_on<'a>(error: &Error, where_not_found: &'a str) -> Option<&'a str> {
    let io_error = error
        .source()
        .and_then(|error| error.downcast_ref::<io::Error>());
    match (error.kind(), io_error.map(io::Error::kind)) {
        (ErrorKind::NotFound, _) => Some(where_not_found),
        (ErrorKind::Unavailable, _) => Some(
            "a running process holds it, such as a worker or another command, and nobody else can look into it \
             until that one has ended",
        ),
        (ErrorKind::Denied, _) => Some(
            "this user lacks a permission: the directory needs rwx and its files rw, for commands that only look too; \
             to make it, the one above it needs wx",
        ),
        (_, Some(io::ErrorKind::ReadOnlyFilesystem)) => Some(
            "its file system is read-only, and commands that only look write a lock file too; mount it writable, or \
             copy the directory",
        ),
        (_, Some(io::ErrorKind::NotADirectory)) => Some(
            "a part of this path is a file, and no directory can be below it; write another path",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(kind: ErrorKind, io: io::ErrorKind) -> Option<&'static str> {
        let error = io::Error::from(io);
        advice_on(
            &Error::with_source(kind, "cannot open `d`", error),
            "make it",
        )
    }

    /// Permission bits do not bind everybody who runs tests, so that the errors are made here.
    #[test]
    fn what_is_lacking_is_said() {
        let says = |kind, io, part: &str| {
            let advice = advice(kind, io).unwrap();
            assert!(advice.contains(part), "{advice}");
        };
        says(
            ErrorKind::Denied,
            io::ErrorKind::PermissionDenied,
            "this user lacks a permission: the directory needs rwx and its files rw",
        );
        says(
            ErrorKind::Storage,
            io::ErrorKind::ReadOnlyFilesystem,
            "its file system is read-only",
        );
        says(
            ErrorKind::Invalid,
            io::ErrorKind::NotADirectory,
            "a part of this path is a file",
        );
        assert_eq!(
            advice(ErrorKind::NotFound, io::ErrorKind::NotFound),
            Some("make it")
        );
        assert_eq!(advice(ErrorKind::Corrupt, io::ErrorKind::Other), None);
    }
}
