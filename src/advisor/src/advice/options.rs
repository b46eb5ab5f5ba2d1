//! The options of an advice: servers, rates, reads.

use serde::Serialize;

use super::tablets::{TabletAdvice, TabletDemand, TabletReason};
use crate::ExistingTable;
use crate::error::{AdvisorError, MOST_TABLETS};

/// The options of an advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[must_use]
pub struct AdviceOptions {
    pub(crate) servers: u32,
    pub(crate) tablets: Option<u32>,
    pub(crate) rows_per_second: Option<u64>,
    pub(crate) table_bytes: Option<u64>,
    pub(crate) reads: Vec<Read>,
    pub(crate) scans_only: bool,
    pub(crate) cells_per_row: u64,
    pub(crate) column_bytes: u64,
    #[serde(skip)]
    pub(crate) table: Option<ExistingTable>,
}

/// A way to read rows that a design must support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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

impl Read {
    /// Returns the name of the scanned rows for a sentence.
    pub(super) fn selection(self) -> &'static str {
        match self {
            Self::Prefix => "a prefix",
            Self::Range => "a range",
            Self::Field => "one leading field",
            Self::Domain => "a domain",
        }
    }

    /// Returns the reason why keys do not support the scan with any design; `None` if all keys
    /// support it.
    pub(super) fn missing_in_keys(self) -> Option<&'static str> {
        match self {
            Self::Prefix | Self::Range => None,
            Self::Field => Some(
                "the keys have no leading field that a separator ends: omit this read, or begin \
                 keys with a field and a separator, such as `tenant|`",
            ),
            Self::Domain => Some(
                "the keys are not web addresses, such as `https://example.com/docs`: omit this \
                 read",
            ),
        }
    }
}

impl Default for AdviceOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl AdviceOptions {
    /// Returns the default options.
    pub const fn new() -> Self {
        Self {
            servers: 1,
            tablets: None,
            rows_per_second: None,
            table_bytes: None,
            reads: Vec::new(),
            scans_only: false,
            cells_per_row: 1,
            column_bytes: 0,
            table: None,
        }
    }

    /// Sets the number of servers, from 1. Default: 1.
    pub fn servers(mut self, servers: u32) -> Self {
        self.servers = servers;
        self
    }

    /// Sets the number of tablets, 1 to 65,536. Default: `None`, for the formula of
    /// [`tablet_advice`](Self::tablet_advice).
    pub fn tablets(mut self, tablets: impl Into<Option<u32>>) -> Self {
        self.tablets = tablets.into();
        self
    }

    /// Sets the number of rows to write in a second. Default: `None`, for unknown.
    pub fn rows_per_second(mut self, rows: impl Into<Option<u64>>) -> Self {
        self.rows_per_second = rows.into();
        self
    }

    /// Sets the size of the table in bytes. Default: `None`, for unknown.
    pub fn table_bytes(mut self, bytes: impl Into<Option<u64>>) -> Self {
        self.table_bytes = bytes.into();
        self
    }

    /// Sets the ways to read several rows. Duplicates are ignored. Default: none, for rows that are
    /// read one by one.
    pub fn reads(mut self, reads: impl IntoIterator<Item = Read>) -> Self {
        self.reads = reads.into_iter().collect();
        self
    }

    /// Sets whether rows are only read as [`reads`](Self::reads) states, and never one by one.
    /// Default: no.
    pub fn scans_only(mut self, scans_only: bool) -> Self {
        self.scans_only = scans_only;
        self
    }

    /// Sets the number of cells in a row, from 1. Default: 1.
    pub fn cells_per_row(mut self, cells: u64) -> Self {
        self.cells_per_row = cells;
        self
    }

    /// Sets the number of bytes of family, qualifier and visibility of a cell together. Default: 0.
    pub fn column_bytes(mut self, bytes: u64) -> Self {
        self.column_bytes = bytes;
        self
    }

    /// Sets the table of the keys, if it exists. The advice is for its present tablets if the
    /// number of servers is that of the table, and neither [`tablets`](Self::tablets) nor a rate
    /// nor a size is set. Default: `None`.
    pub fn table(mut self, table: impl Into<Option<ExistingTable>>) -> Self {
        self.table = table.into();
        self
    }

    /// Returns the advised number of tablets.
    ///
    /// It is the largest of 4 for each server, one for each 5,000 rows a second, and one for each
    /// GiB, rounded up to a multiple of the number of servers, and at most 65,536. A table with
    /// more tablets keeps them, unless the options ask for something else.
    ///
    /// # Errors
    ///
    /// Returns an error if an option is impossible: 0 servers, 0 tablets or more than 65,536, rows
    /// of 0 cells.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_advisor::{AdviceOptions, AdvisorErrorKind};
    ///
    /// let options = AdviceOptions::new().servers(3).rows_per_second(62_000);
    /// assert_eq!(options.tablet_advice()?.tablets, 15);
    ///
    /// let options = options.tablets(0);
    /// assert_eq!(options.tablet_advice().unwrap_err().kind(), AdvisorErrorKind::Tablets);
    /// # Ok::<(), fluo_advisor::AdvisorError>(())
    /// ```
    pub fn tablet_advice(&self) -> Result<TabletAdvice, AdvisorError> {
        self.check()?;
        Ok(self.checked_tablets())
    }

    fn check(&self) -> Result<(), AdvisorError> {
        if self.servers == 0 {
            return Err(AdvisorError::servers());
        }
        let is_possible = |tablets: &u32| (1..=MOST_TABLETS).contains(&u64::from(*tablets));
        if let Some(tablets) = self.tablets.filter(|tablets| !is_possible(tablets)) {
            return Err(AdvisorError::tablets(tablets));
        }
        if self.cells_per_row == 0 {
            return Err(AdvisorError::cells_per_row());
        }
        Ok(())
    }

    /// Checks whether the settings ask for tablets other than those of the table, by number,
    /// servers, rate or size.
    pub(super) fn is_for_others(&self) -> bool {
        let is_of_table = |table: &ExistingTable| table.servers == self.servers;
        self.tablets.is_some()
            || self.rows_per_second.is_some()
            || self.table_bytes.is_some()
            || !self.table.as_ref().is_some_and(is_of_table)
    }

    /// Returns the reads besides that of one row, without duplicates.
    pub(super) fn different_reads(&self) -> impl Iterator<Item = Read> {
        let all = [Read::Prefix, Read::Range, Read::Field, Read::Domain];
        all.into_iter().filter(|read| self.reads.contains(read))
    }

    /// Returns the number of tablets of a recipe for which the table is not split yet, or is to be
    /// split again.
    pub(super) fn for_one_recipe(&self) -> u32 {
        let formula = Self {
            table: None,
            ..self.clone()
        };
        formula.checked_tablets().tablets
    }

    pub(super) fn checked_tablets(&self) -> TabletAdvice {
        if let Some(tablets) = self.tablets {
            let reason = TabletReason::Requested(tablets.into());
            return TabletAdvice { tablets, reason };
        }
        let demand = TabletDemand::new(self.servers, self.rows_per_second, self.table_bytes);
        let found = self.table.as_ref().map_or(0, ExistingTable::tablets);
        let is_found = found > demand.tablets && found <= MOST_TABLETS;
        let (tablets, reason) = if is_found && !self.is_for_others() {
            (found, TabletReason::OfTable(found))
        } else {
            (demand.tablets, TabletReason::Demand(demand))
        };
        TabletAdvice {
            tablets: u32::try_from(tablets).unwrap_or(u32::MAX),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advises_the_largest_demand_with_its_reason() {
        let options = AdviceOptions::new().servers(3);
        let advice = options.tablet_advice().unwrap();
        assert_eq!(advice.tablets, 12);
        assert_eq!(
            advice.reason.to_string(),
            "12 tablets: the largest of 12 for 3 servers at 4 each, rounded up to a multiple of the servers."
        );
        let options = AdviceOptions::new()
            .servers(7)
            .rows_per_second(1_000_000)
            .table_bytes(50_000_000_000);
        let advice = options.tablet_advice().unwrap();
        assert_eq!(advice.tablets, 203);
        assert_eq!(
            advice.reason.to_string(),
            "203 tablets: the largest of 28 for 7 servers at 4 each, 200 for 1,000,000 rows/s at 5,000 each, 47 for \
             50.0 GB at 1 GiB each, rounded up to a multiple of the servers."
        );
    }

    #[test]
    fn keeps_a_requested_number_and_bounds_the_others() {
        let options = AdviceOptions::new().tablets(5);
        assert_eq!(
            options.tablet_advice().unwrap().reason.to_string(),
            "5 tablets, as requested."
        );
        for servers in [1, u32::MAX] {
            let options = AdviceOptions::new()
                .servers(servers)
                .table_bytes(u64::MAX)
                .rows_per_second(u64::MAX);
            let advice = options.tablet_advice().unwrap();
            assert_eq!(advice.tablets, 65_536, "{servers}");
            let names_the_cap = "65,536 tablets, the maximum: the largest of ";
            let reason = advice.reason.to_string();
            assert!(
                reason.starts_with(names_the_cap) && reason.ends_with(" would be more."),
                "{reason}"
            );
        }
    }

    #[test]
    fn rejects_impossible_settings_with_their_bounds() {
        let refused = |options: AdviceOptions| options.tablet_advice().unwrap_err().to_string();
        let given = AdviceOptions::default;
        let servers = given().servers(0);
        assert_eq!(
            refused(servers),
            "0 servers cannot hold a table: give at least 1"
        );
        for (tablets, text) in [(0, "0"), (65_537, "65,537"), (u32::MAX, "4,294,967,295")] {
            let tablets = given().tablets(tablets);
            assert_eq!(
                refused(tablets),
                format!("a table cannot have {text} tablets: give 1 to 65,536")
            );
        }
        let cells = given().cells_per_row(0);
        assert_eq!(refused(cells), "a row cannot have 0 cells: give at least 1");
    }

    #[test]
    fn ignores_duplicate_reads() {
        let options = AdviceOptions::new().reads(vec![Read::Field, Read::Prefix, Read::Field]);
        let reads: Vec<_> = options.different_reads().collect();
        assert_eq!(reads, [Read::Prefix, Read::Field]);
    }
}
