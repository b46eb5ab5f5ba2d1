//! The options of an advice: servers, tablets, reads.

use std::collections::BTreeSet;

use fluo_keys::{DesignSettings, Unsalted};
use fluo_table::{Error, Grouped, Result};
use serde::Serialize;

use crate::existing::seem_salted;
use crate::{Candidate, ExistingTable, KeyProfile};

const MAX_TABLETS: u32 = 65_536;
/// The number of tablets for each server: if a server fails, several others take over its tablets,
/// and a quarter of the load of a server can be moved.
const TABLETS_PER_SERVER: u32 = 4;

/// The options of an advice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct AdviceOptions {
    pub(super) servers: u32,
    tablets: Option<u32>,
    /// The reads besides that of one row.
    pub(super) reads: BTreeSet<Read>,
    pub(super) scans_only: bool,
    pub(super) table: Option<ExistingTable>,
    pub(super) also: Vec<Candidate>,
}

/// A way to read rows that a design must support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
// The order of the variants is that of their faults in a report.
pub enum Read {
    /// A scan of all rows with a prefix.
    Prefix,
    /// A scan of all rows between two rows.
    Range,
    /// A scan of all rows with one leading field.
    Field,
    /// A scan of all pages of a domain and of its subdomains.
    Domain,
}

impl Default for AdviceOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl AdviceOptions {
    /// Returns the default options.
    pub const fn new() -> Self {
        let reads = BTreeSet::new();
        Self { servers: 1, tablets: None, reads, scans_only: false, table: None, also: Vec::new() }
    }

    /// Sets the number of servers, from 1. Default: 1.
    pub fn servers(self, servers: u32) -> Self {
        Self { servers, ..self }
    }

    /// Sets the number of tablets, 1 to 65,536. Default: `None`, for 4 for each server, or the
    /// tablets of the table.
    pub fn tablets(self, tablets: impl Into<Option<u32>>) -> Self {
        Self { tablets: tablets.into(), ..self }
    }

    /// Sets the ways to read several rows. Default: none, for rows that are read one by one.
    pub fn reads(self, reads: impl IntoIterator<Item = Read>) -> Self {
        Self { reads: reads.into_iter().collect(), ..self }
    }

    /// Sets whether rows are only read as [`reads`](Self::reads) states, and never one by one.
    /// Default: no.
    pub fn scans_only(self, scans_only: bool) -> Self {
        Self { scans_only, ..self }
    }

    /// Sets the table of the keys, if it exists. The advice is for its present tablets if the
    /// number of servers is that of the table, and [`tablets`](Self::tablets) is not set. Default:
    /// `None`.
    pub fn table(self, table: impl Into<Option<ExistingTable>>) -> Self {
        Self { table: table.into(), ..self }
    }

    /// Adds designs to try. Keys that already have one of them keep it, even if the keys alone do
    /// not prove it. Default: none.
    pub fn also(mut self, candidates: impl IntoIterator<Item = Candidate>) -> Self {
        self.also.extend(candidates);
        self
    }

    /// Returns the advised number of tablets: the requested number, or 4 for each server, and at
    /// most 65,536. A table with more tablets keeps them, unless the options ask for others.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if an option is impossible: 0 servers, 0 tablets
    /// or more than 65,536.
    pub fn advised_tablets(&self) -> Result<u32> {
        if self.servers == 0 {
            return Err(Error::invalid("0 servers cannot hold a table: give at least 1"));
        }
        let wanted = self.for_one_design();
        if !(1..=MAX_TABLETS).contains(&wanted) {
            let (wanted, most) = (Grouped(wanted.into()), Grouped(MAX_TABLETS.into()));
            let message = format!("a table cannot have {wanted} tablets: give 1 to {most}");
            return Err(Error::invalid(message));
        }
        let table = self.kept_table();
        let of_table = table.and_then(|table| u32::try_from(table.splits.len() + 1).ok());
        let of_table = of_table.filter(|tablets| *tablets <= MAX_TABLETS);
        Ok(wanted.max(of_table.unwrap_or(0)))
    }

    /// Returns the number of tablets of a design for which the table is not split yet, or is to be
    /// split again.
    pub(super) fn for_one_design(&self) -> u32 {
        let for_servers = self.servers.saturating_mul(TABLETS_PER_SERVER).min(MAX_TABLETS);
        self.tablets.unwrap_or(for_servers)
    }

    /// Returns the earlier design of the plain rows of the table, if they can migrate to a design.
    pub(super) fn before(&self, settings: &DesignSettings) -> Vec<DesignSettings> {
        match (&self.table, settings) {
            (Some(_), DesignSettings::RowHasher(_)) => vec![Unsalted {}.into()],
            _ => Vec::new(),
        }
    }

    /// Checks whether the keys of the table seem to have salts of an unknown design. They do not if
    /// the caller names them `unsalted`.
    pub(super) fn may_be_salted(&self, keys: &KeyProfile) -> bool {
        let is_unsalted = |named: &Candidate| matches!(named.settings, DesignSettings::Unsalted(_));
        self.table.is_some() && !self.also.iter().any(is_unsalted) && seem_salted(&keys.sample.keys)
    }

    /// Returns the table, unless the settings ask for other tablets, by number or by servers.
    pub(super) fn kept_table(&self) -> Option<&ExistingTable> {
        let table = self.table.as_ref();
        table.filter(|table| self.tablets.is_none() && table.servers == self.servers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advises_four_tablets_for_each_server_or_those_requested_or_of_the_table() {
        let tablets = |options: AdviceOptions| options.advised_tablets().unwrap();
        let table =
            |servers| ExistingTable { servers, splits: vec!["x".into(); 19], group_pattern: None };
        let three = AdviceOptions::new().servers(3);
        assert_eq!(tablets(three.clone()), 12);
        assert_eq!(tablets(three.clone().tablets(5)), 5);
        assert_eq!(tablets(three.clone().table(table(3))), 20);
        assert_eq!(tablets(three.clone().table(table(4))), 12);
        assert_eq!(tablets(three.table(table(3)).tablets(5)), 5);
        assert_eq!(tablets(AdviceOptions::new().servers(u32::MAX)), 65_536);
    }

    #[test]
    fn rejects_impossible_settings_with_their_bounds() {
        let refused = |options: AdviceOptions| options.advised_tablets().unwrap_err().to_string();
        assert_eq!(
            refused(AdviceOptions::new().servers(0)),
            "0 servers cannot hold a table: give at least 1"
        );
        for (tablets, text) in [(0, "0"), (65_537, "65,537"), (u32::MAX, "4,294,967,295")] {
            assert_eq!(
                refused(AdviceOptions::new().tablets(tablets)),
                format!("a table cannot have {text} tablets: give 1 to 65,536")
            );
        }
    }
}
