//! The damage that a check found.

use std::error::Error as StdError;
use std::fmt;
use std::path::Path;

use fluo_table::{Error, ErrorKind};

/// The damage that [`EmbeddedTables::check`](crate::EmbeddedTables::check) found: the source of its
/// error.
///
/// ```
/// use fluo_embedded::{Damage, EmbeddedTables};
/// use std::error::Error;
///
/// # fn main() -> std::io::Result<()> {
/// # let directory = tempfile::tempdir()?;
/// # drop(fluo_embedded::open(directory.path()).map_err(std::io::Error::other)?);
/// std::fs::remove_file(directory.path().join("fluo.commits"))?;
/// let error = EmbeddedTables::check(directory.path()).unwrap_err();
/// let damage = error.source().and_then(|source| source.downcast_ref::<Damage>());
/// let findings = ["its `fluo.commits` is missing".to_owned()];
/// assert_eq!(damage.map(Damage::findings), Some(findings.as_slice()));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    findings: Vec<String>,
}

impl Damage {
    pub(crate) fn new(findings: Vec<String>) -> Self {
        Self { findings }
    }

    /// Returns one sentence for each place that is damaged, with the table and the row where they
    /// are known.
    pub fn findings(&self) -> &[String] {
        &self.findings
    }

    pub(crate) fn into_error(self, directory: &Path) -> Error {
        let message = format!(
            "the directory `{}` is damaged: {self}; restore it from a copy",
            directory.display()
        );
        Error::with_source(ErrorKind::Corrupt, message, self)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.findings.as_slice() {
            [] => Ok(()),
            [finding] => f.write_str(finding),
            [first, more @ ..] => write!(f, "{first} (and {} more)", more.len()),
        }
    }
}

impl StdError for Damage {}
