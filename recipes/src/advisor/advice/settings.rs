//! What the advice is asked for: servers, rates, reads.

use serde::Serialize;

use super::error::AdviceError;
use crate::advisor::ExistingTable;
use crate::advisor::words::{bytes, plural};
use crate::number::grouped;

/// Tablets for each server: where one server fails, its tablets go to several others, and load can be moved in
/// quarters of a server.
const TABLETS_PER_SERVER: u64 = 4;
/// Rows a second that one tablet is trusted to take. An assumption: measure yours, and give the number of tablets.
const ROWS_PER_TABLET: u64 = 5_000;
/// Accumulo's default `table.split.threshold`: a tablet that grows beyond it is split by itself.
const BYTES_PER_TABLET: u64 = 1 << 30;
/// Most tablets that are advised.
pub(super) const MOST_TABLETS: u64 = 65_536;

/// What the advice is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdviceSettings {
    /// How many servers there are, from 1; 1 unless given.
    pub servers: u32,
    /// How many tablets, 1 to 65,536; by the formula of [`tablets`](Self::tablets) unless given.
    pub tablets: Option<u32>,
    /// How many rows a second are to be written; unknown unless given.
    pub rows_per_second: Option<u64>,
    /// How many bytes the table will have; unknown unless given.
    pub table_bytes: Option<u64>,
    /// How rows are read, beside one by one; only one by one unless given. What is named twice counts once.
    pub reads: Vec<Read>,
    /// Whether rows are never read one by one, but only as `reads` says; not so unless given.
    pub scans_only: bool,
    /// How many cells a row has, from 1; 1 unless given.
    pub cells_per_row: u64,
    /// How many bytes the names of a column have, family, qualifier and visibility together; 0 unless given.
    pub column_bytes: u64,
    /// The table that the keys are of, if it is there. Where the number of servers is that of the table and neither
    /// `tablets` nor a rate nor a size is given, the advice is for the tablets that the table has.
    #[serde(skip)]
    pub table: Option<ExistingTable>,
}

/// A way to read rows that a design must leave possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Read {
    /// All rows with a prefix.
    Prefix,
    /// All rows between two.
    Range,
    /// All rows with one leading field.
    Field,
    /// All pages of a domain and of its subdomains.
    Domain,
}

/// A number of tablets and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TabletAdvice {
    /// The number.
    pub tablets: u32,
    /// Where it comes from, in a sentence.
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
    /// How many tablets there should be.
    ///
    /// The largest of 4 for each server, one for each 5,000 rows a second, and one for each GiB; rounded up to a
    /// multiple of the servers so that each has equally many; at most 65,536. A table that has more keeps those, unless
    /// something else was asked for.
    ///
    /// # Errors
    /// A setting that no table has: 0 servers, 0 tablets or more than 65,536, rows of 0 cells.
    ///
    /// ```
    /// use fluo_recipes::advisor::{AdviceError, AdviceSettings};
    ///
    /// let settings = AdviceSettings { servers: 3, rows_per_second: Some(62_000), ..AdviceSettings::default() };
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

    /// Checks whether tablets are asked for that are not those of the table: by their number, or by servers, a rate or a size.
    pub(super) fn is_for_others(&self) -> bool {
        let is_of_table = |table: &ExistingTable| table.servers == self.servers;
        self.tablets.is_some()
            || self.rows_per_second.is_some()
            || self.table_bytes.is_some()
            || !self.table.as_ref().is_some_and(is_of_table)
    }

    /// The reads that are asked for beside that of one row, each once.
    pub(super) fn different_reads(&self) -> impl Iterator<Item = Read> {
        let all = [Read::Prefix, Read::Range, Read::Field, Read::Domain];
        all.into_iter().filter(|read| self.reads.contains(read))
    }

    /// Returns how many tablets a recipe should have for which the table is not split yet, or is to be split anew.
    pub(super) fn for_one_recipe(&self) -> u32 {
        let formula = Self {
            table: None,
            ..self.clone()
        };
        formula.checked_tablets().tablets
    }

    pub(super) fn checked_tablets(&self) -> TabletAdvice {
        if let Some(tablets) = self.tablets {
            let reason = format!("{} were asked for.", plural(tablets.into(), "tablet"));
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
                "{}, the most that are advised: the largest of {} would be more.",
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
    fn the_largest_demand_wins_and_says_so() {
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
    fn a_number_that_is_given_is_kept_and_all_are_bounded() {
        let settings = AdviceSettings {
            tablets: Some(5),
            ..AdviceSettings::default()
        };
        assert_eq!(
            settings.tablets().unwrap().reason,
            "5 tablets were asked for."
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
            let names_the_cap = "65,536 tablets, the most that are advised: the largest of ";
            assert!(
                advice.reason.starts_with(names_the_cap)
                    && advice.reason.ends_with(" would be more."),
                "{}",
                advice.reason
            );
        }
    }

    #[test]
    fn what_no_table_has_is_refused_with_its_bound() {
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
                format!("{text} tablets cannot be: give 1 to 65,536")
            );
        }
        let cells = AdviceSettings {
            cells_per_row: 0,
            ..given()
        };
        assert_eq!(
            refused(cells),
            "rows of 0 cells cannot be: give at least 1 cell a row"
        );
    }

    #[test]
    fn a_read_that_is_named_twice_counts_once() {
        let settings = AdviceSettings {
            reads: vec![Read::Field, Read::Prefix, Read::Field],
            ..AdviceSettings::default()
        };
        let reads: Vec<_> = settings.different_reads().collect();
        assert_eq!(reads, [Read::Prefix, Read::Field]);
    }
}
