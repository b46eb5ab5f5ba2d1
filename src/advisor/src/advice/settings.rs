//! The settings of an advice: servers, rates, reads.

use serde::Serialize;

use super::tablets::{TabletAdvice, TabletDemand, TabletReason};
use crate::ExistingTable;
use crate::error::{AdvisorError, MOST_TABLETS};

/// Settings of an advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceSettings {
    /// The number of servers, from 1. The default is 1.
    pub servers: u32,
    /// The number of tablets, 1 to 65,536. By default, the formula of [`tablets`](Self::tablets)
    /// applies.
    pub tablets: Option<u32>,
    /// The number of rows to write in a second. Unknown by default.
    pub rows_per_second: Option<u64>,
    /// The size of the table in bytes. Unknown by default.
    pub table_bytes: Option<u64>,
    /// The ways to read several rows. By default, rows are read one by one. Duplicates are ignored.
    pub reads: Vec<Read>,
    /// `true` if rows are only read as `reads` states, and never one by one. The default is
    /// `false`.
    pub scans_only: bool,
    /// The number of cells in a row, from 1. The default is 1.
    pub cells_per_row: u64,
    /// The number of bytes of family, qualifier and visibility of a cell together. 0 by default.
    pub column_bytes: u64,
    /// The table of the keys, if it exists. The advice is for its present tablets if the number of
    /// servers is that of the table, and there is neither `tablets` nor a rate nor a size.
    #[serde(skip)]
    pub table: Option<ExistingTable>,
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

impl Default for AdviceSettings {
    fn default() -> Self {
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
}

impl AdviceSettings {
    /// Returns the advised number of tablets.
    ///
    /// It is the largest of 4 for each server, one for each 5,000 rows a second, and one for each
    /// GiB, rounded up to a multiple of the number of servers, and at most 65,536. A table with
    /// more tablets keeps them, unless the settings ask for something else.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is impossible: 0 servers, 0 tablets or more than 65,536, rows
    /// of 0 cells.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_advisor::{AdviceSettings, AdvisorErrorKind};
    ///
    /// let settings = AdviceSettings {
    ///     servers: 3,
    ///     rows_per_second: Some(62_000),
    ///     ..AdviceSettings::default()
    /// };
    /// assert_eq!(settings.tablets()?.tablets, 15);
    ///
    /// let settings = AdviceSettings { tablets: Some(0), ..settings };
    /// assert_eq!(settings.tablets().unwrap_err().kind(), AdvisorErrorKind::Tablets);
    /// # Ok::<(), fluo_advisor::AdvisorError>(())
    /// ```
    pub fn tablets(&self) -> Result<TabletAdvice, AdvisorError> {
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
        let settings = AdviceSettings {
            servers: 3,
            ..AdviceSettings::default()
        };
        let advice = settings.tablets().unwrap();
        assert_eq!(advice.tablets, 12);
        assert_eq!(
            advice.reason.to_string(),
            "12 tablets: the largest of 12 for 3 servers at 4 each, rounded up to a multiple of the servers."
        );
        let settings = AdviceSettings {
            servers: 7,
            rows_per_second: Some(1_000_000),
            table_bytes: Some(50_000_000_000),
            ..AdviceSettings::default()
        };
        let advice = settings.tablets().unwrap();
        assert_eq!(advice.tablets, 203);
        assert_eq!(
            advice.reason.to_string(),
            "203 tablets: the largest of 28 for 7 servers at 4 each, 200 for 1,000,000 rows/s at 5,000 each, 47 for \
             50.0 GB at 1 GiB each, rounded up to a multiple of the servers."
        );
    }

    #[test]
    fn keeps_a_requested_number_and_bounds_the_others() {
        let settings = AdviceSettings {
            tablets: Some(5),
            ..AdviceSettings::default()
        };
        assert_eq!(
            settings.tablets().unwrap().reason.to_string(),
            "5 tablets, as requested."
        );
        for servers in [1, u32::MAX] {
            let settings = AdviceSettings {
                servers,
                table_bytes: Some(u64::MAX),
                rows_per_second: Some(u64::MAX),
                ..AdviceSettings::default()
            };
            let advice = settings.tablets().unwrap();
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
        let refused = |settings: AdviceSettings| settings.tablets().unwrap_err().to_string();
        let given = AdviceSettings::default;
        let servers = AdviceSettings {
            servers: 0,
            ..given()
        };
        assert_eq!(
            refused(servers),
            "0 servers cannot hold a table: give at least 1"
        );
        for (tablets, text) in [(0, "0"), (65_537, "65,537"), (u32::MAX, "4,294,967,295")] {
            let tablets = AdviceSettings {
                tablets: Some(tablets),
                ..given()
            };
            assert_eq!(
                refused(tablets),
                format!("a table cannot have {text} tablets: give 1 to 65,536")
            );
        }
        let cells = AdviceSettings {
            cells_per_row: 0,
            ..given()
        };
        assert_eq!(refused(cells), "a row cannot have 0 cells: give at least 1");
    }

    #[test]
    fn ignores_duplicate_reads() {
        let settings = AdviceSettings {
            reads: vec![Read::Field, Read::Prefix, Read::Field],
            ..AdviceSettings::default()
        };
        let reads: Vec<_> = settings.different_reads().collect();
        assert_eq!(reads, [Read::Prefix, Read::Field]);
    }
}
