//! The settings of an advice: servers, rates, reads.

use serde::Serialize;

use super::error::AdviceError;
use crate::ExistingTable;
use crate::formatting::{bytes, grouped, plural};

/// The number of tablets for each server: if a server fails, several others take over its tablets,
/// and a quarter of the load of a server can be moved.
const TABLETS_PER_SERVER: u64 = 4;
/// The assumed number of rows a second for one tablet. Measure yours, and set the number of
/// tablets.
const ROWS_PER_TABLET: u64 = 5_000;
/// The size of a tablet: Accumulo's default of `table.split.threshold`, above which it splits a
/// tablet.
const BYTES_PER_TABLET: u64 = 1 << 30;
/// The maximum number of tablets.
pub(super) const MOST_TABLETS: u64 = 65_536;

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

/// A number of tablets, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TabletAdvice {
    /// The number of tablets.
    pub tablets: u32,
    /// The reason for the number, in a sentence.
    pub reason: String,
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
    /// use fluo_advisor::{AdviceError, AdviceSettings};
    ///
    /// let settings = AdviceSettings {
    ///     servers: 3,
    ///     rows_per_second: Some(62_000),
    ///     ..AdviceSettings::default()
    /// };
    /// assert_eq!(settings.tablets()?.tablets, 15);
    ///
    /// let settings = AdviceSettings { tablets: Some(0), ..settings };
    /// assert_eq!(settings.tablets(), Err(AdviceError::Tablets(0)));
    /// # Ok::<(), AdviceError>(())
    /// ```
    pub fn tablets(&self) -> Result<TabletAdvice, AdviceError> {
        self.check()?;
        Ok(self.checked_tablets())
    }

    fn check(&self) -> Result<(), AdviceError> {
        if self.servers == 0 {
            return Err(AdviceError::Servers);
        }
        let is_possible = |tablets: &u32| (1..=MOST_TABLETS).contains(&u64::from(*tablets));
        if let Some(tablets) = self.tablets.filter(|tablets| !is_possible(tablets)) {
            return Err(AdviceError::Tablets(tablets));
        }
        if self.cells_per_row == 0 {
            return Err(AdviceError::CellsPerRow);
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
            let reason = format!("{}, as requested.", plural(tablets.into(), "tablet"));
            return TabletAdvice { tablets, reason };
        }
        let servers = u64::from(self.servers);
        let for_servers = servers * TABLETS_PER_SERVER;
        let for_rows = self.rows_per_second.unwrap_or(0).div_ceil(ROWS_PER_TABLET);
        let for_bytes = self.table_bytes.unwrap_or(0).div_ceil(BYTES_PER_TABLET);
        let wanted = for_servers.max(for_rows).max(for_bytes);
        let rounded = wanted
            .min(MOST_TABLETS)
            .div_ceil(servers)
            .saturating_mul(servers);
        let tablets = rounded.min(MOST_TABLETS);
        let found = self.table.as_ref().map_or(0, ExistingTable::tablets);
        if !self.is_for_others() && found > tablets && found <= MOST_TABLETS {
            return TabletAdvice {
                tablets: u32::try_from(found).unwrap_or(u32::MAX),
                reason: format!("{}, as the table has.", plural(found, "tablet")),
            };
        }
        TabletAdvice {
            tablets: u32::try_from(tablets).unwrap_or(u32::MAX),
            reason: self.reason(tablets, [for_servers, for_rows, for_bytes]),
        }
    }

    fn reason(&self, tablets: u64, [for_servers, for_rows, for_bytes]: [u64; 3]) -> String {
        let mut parts = vec![format!(
            "{} for {} at {TABLETS_PER_SERVER} each",
            grouped(for_servers),
            plural(u64::from(self.servers), "server")
        )];
        if let Some(rows) = self.rows_per_second {
            parts.push(format!(
                "{} for {} rows/s at {} each",
                grouped(for_rows),
                grouped(rows),
                grouped(ROWS_PER_TABLET)
            ));
        }
        if let Some(size) = self.table_bytes {
            parts.push(format!(
                "{} for {} at 1 GiB each",
                grouped(for_bytes),
                bytes(size)
            ));
        }
        let wanted = for_servers.max(for_rows).max(for_bytes);
        if wanted > tablets || !tablets.is_multiple_of(self.servers.into()) {
            return format!(
                "{}, the maximum: the largest of {} would be more.",
                plural(tablets, "tablet"),
                parts.join(", ")
            );
        }
        format!(
            "{}: the largest of {}, rounded up to a multiple of the servers.",
            plural(tablets, "tablet"),
            parts.join(", ")
        )
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
            advice.reason,
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
            advice.reason,
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
            settings.tablets().unwrap().reason,
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
            assert!(
                advice.reason.starts_with(names_the_cap)
                    && advice.reason.ends_with(" would be more."),
                "{}",
                advice.reason
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
