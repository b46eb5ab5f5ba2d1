//! The directory of an embedded target, and why it cannot be opened.

use std::env;
use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Args;
use fluo_core::{Error, ErrorKind, TableAdmin};
use fluo_embedded::{EmbeddedApplications, EmbeddedTables, Settings};

use super::place;
use crate::arguments;
use crate::output::{self, count_of, plural};

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

    /// Returns the tables and the applications of a directory that exists.
    pub(crate) fn open(&self) -> Result<(EmbeddedTables, EmbeddedApplications)> {
        let advice = "name another one, or make a first application with `fluo app init`";
        let tables = open(&self.at, Settings::default(), advice)?;
        let applications = tables.applications();
        Ok((tables, applications))
    }

    /// Returns the tables and the applications of a directory, which is made if it is missing.
    pub(crate) async fn open_or_create(
        &self,
        making: &MakingArguments,
    ) -> Result<(EmbeddedTables, EmbeddedApplications)> {
        let tables = open_or_create(&self.at, Settings::default(), making).await?;
        let applications = tables.applications();
        Ok((tables, applications))
    }
}

/// How a directory is made that does not exist.
#[derive(Args, Debug)]
pub(crate) struct MakingArguments {
    /// If an embedded directory is made: make missing directories above it too
    #[arg(long)]
    parents: bool,
}

/// Opens a directory, makes it if it is missing, and says which one was made.
pub(super) async fn open_or_create(
    directory: &Path,
    settings: Settings,
    making: &MakingArguments,
) -> Result<EmbeddedTables> {
    let settings = Settings {
        create_if_missing: true,
        create_parents: making.parents,
        ..settings
    };
    let was_there = directory.exists();
    let tables = open(
        directory,
        settings,
        "make that one first, or give --parents",
    )?;
    if tables.is_new() {
        let servers = plural(count_of(tables.servers().await?.len()), "server");
        let path = directory.canonicalize();
        let path = path.as_deref().unwrap_or(directory).display();
        let made = match was_there {
            true => "made an instance in the directory",
            false => "made directory",
        };
        output::say(&format!("{made} `{path}` with {servers}"));
    }
    Ok(tables)
}

/// Opens a directory; `missing` is the advice for one that does not exist.
pub(super) fn open(directory: &Path, settings: Settings, missing: &str) -> Result<EmbeddedTables> {
    let settings = Settings {
        program: arguments::command_words(env::args_os()),
        ..settings
    };
    EmbeddedTables::open(directory, settings).map_err(|error| advised(error, missing))
}

/// Returns an error with what to do about it, where the library cannot say it.
pub(crate) fn advised(error: Error, missing: &str) -> anyhow::Error {
    match advice_on(&error, missing) {
        Some(advice) => {
            let message = format!("{error}; {advice}");
            anyhow!(error).context(message)
        }
        None => error.into(),
    }
}

fn advice_on<'a>(error: &Error, missing: &'a str) -> Option<&'a str> {
    let io_error = error
        .source()
        .and_then(|error| error.downcast_ref::<io::Error>());
    match (error.kind(), io_error.map(io::Error::kind)) {
        (ErrorKind::NotFound, _) => Some(missing),
        (ErrorKind::Denied, _) => Some(
            "this user needs the permissions rwx on the directory and rw on its files, for commands that only look too; \
             to make it, wx on the one above it",
        ),
        (_, Some(io::ErrorKind::ReadOnlyFilesystem)) => Some(
            "commands that only look write a lock file too: mount the file system writable, or copy the directory",
        ),
        (_, Some(io::ErrorKind::NotADirectory)) => Some(
            "a part of this path is a file, and no directory can be below it: write another path",
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
            "this user needs the permissions rwx on the directory and rw on its files",
        );
        says(
            ErrorKind::Storage,
            io::ErrorKind::ReadOnlyFilesystem,
            "mount the file system writable",
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
