//! The directory of an embedded target, and advice on errors when opening it.

use std::error::Error as _;
use std::io;
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{Error, ErrorKind, TableAdmin};

use crate::text::counted;
use crate::{command_name, exit};

#[derive(Args, Debug)]
pub(crate) struct MakingArguments {
    /// Make missing parents of an embedded directory too
    #[arg(long)]
    parents: bool,
}

/// Opens a directory, makes it and its tables if they do not exist, and says so with its path.
pub(super) async fn open_or_create(
    directory: &Path,
    options: EmbeddedOptions,
    making: &MakingArguments,
) -> Result<EmbeddedTables> {
    let options = options.create_if_missing(true).create_parents(making.parents);
    let is_there = directory.is_dir();
    let tables = open(directory, options, "make that one first, or give --parents")?;
    if tables.is_new() {
        let servers = counted(tables.servers().await?.len(), "server");
        let path = directory.canonicalize();
        let path = path.as_deref().unwrap_or(directory).display();
        match is_there {
            true => say!("created tables in the empty directory `{path}` with {servers}"),
            false => say!("created the directory `{path}` with {servers}"),
        }
    }
    Ok(tables)
}

/// Opens a directory. `missing` is the advice if it does not exist.
pub(super) fn open(
    directory: &Path,
    options: EmbeddedOptions,
    missing: &str,
) -> Result<EmbeddedTables> {
    let options = options.program(command_name::get());
    EmbeddedTables::open(directory, options).map_err(|error| advised(error, missing))
}

/// Fails if an embedded directory refuses changes, because it is known to be damaged.
pub(crate) fn check_writable(unwritable: Option<Error>) -> Result<()> {
    unwritable.map_or(Ok(()), |error| bail!("{error} with `fluo table check`"))
}

/// Adds advice to an error that the library cannot give.
pub(crate) fn advised(error: Error, missing: &str) -> anyhow::Error {
    match advice_on(&error, missing) {
        Some(advice) => exit::advised(error, advice),
        None => error.into(),
    }
}

fn advice_on<'a>(error: &Error, missing: &'a str) -> Option<&'a str> {
    let io_error = error.source().and_then(|error| error.downcast_ref::<io::Error>());
    match (error.kind(), io_error.map(io::Error::kind)) {
        (ErrorKind::NotFound, _) => Some(missing),
        (ErrorKind::Denied, _) => Some(
            "this user needs the permissions rwx on the directory and rw on its files, even for commands that only read",
        ),
        (_, Some(io::ErrorKind::ReadOnlyFilesystem)) => Some(
            "even commands that only read write a lock file: mount the file system writable, or copy the directory",
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

    /// Root ignores permission bits, so these errors are constructed.
    #[test]
    fn advises_on_missing_permissions() {
        use io::ErrorKind::{NotADirectory, NotFound, Other, PermissionDenied, ReadOnlyFilesystem};

        for (kind, cause, expected) in [
            (ErrorKind::Denied, PermissionDenied, "this user needs the permissions rwx on"),
            (ErrorKind::Storage, ReadOnlyFilesystem, "even commands that only read write a lock"),
            (ErrorKind::Invalid, NotADirectory, "a part of this path is a file"),
            (ErrorKind::NotFound, NotFound, "make it"),
            (ErrorKind::Corrupt, Other, ""),
        ] {
            let error = Error::with_source(kind, "cannot open `d`", io::Error::from(cause));
            let advice = advice_on(&error, "make it").unwrap_or_default();
            assert!(advice.starts_with(expected), "{advice}");
        }
    }
}
