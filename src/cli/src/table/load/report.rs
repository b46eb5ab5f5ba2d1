//! Counts of the rows of a load, and the messages about them.

use std::collections::HashMap;

use anyhow::Context;
use fluo_table::ErrorKind;
use tokio::task::{Id, JoinError};

use super::insert_if_absent::{Conflict, Created};
use super::repeated::Repeated;
use super::writing::Writing;
use crate::output::{self, plural};

/// Maximum number of rows that are named for each kind.
const MOST_NAMED: usize = 10;

/// The counts of a load in progress.
#[derive(Default)]
pub(crate) struct Tally {
    writing: Writing,
    /// Number of rows that the table has acknowledged.
    written: u64,
    /// Number of rows of each write under way.
    under_way: HashMap<Id, u64>,
    /// Number of rows of failed writes that may still have taken effect.
    uncertain: u64,
    /// Rows that already exist, and were not written.
    conflicts: Named,
    /// Rows that exist, written by this load or before it.
    unsure: Named,
    /// Rows whose key another row of this load has; set once all are read.
    repeated: Repeated,
    /// The first failure: the cause of the others.
    failure: Option<anyhow::Error>,
}

/// The end of a write.
pub(super) enum Ended {
    /// All rows are written, or the write failed.
    Put(fluo_table::Result<()>),
    /// Each row has its own outcome.
    Created(Created),
}

/// Rows that are all counted; only the first are named.
#[derive(Debug, Default)]
pub(super) struct Named {
    pub(super) count: u64,
    /// Sorted by line.
    pub(super) first: Vec<Conflict>,
}

impl Named {
    fn add(&mut self, mut more: Vec<Conflict>) {
        self.count += output::count_of(more.len());
        self.first.append(&mut more);
        self.first.sort_unstable();
        self.first.truncate(MOST_NAMED);
    }
}

impl Tally {
    pub(super) fn new(writing: Writing) -> Self {
        Self {
            writing,
            ..Self::default()
        }
    }

    /// Returns the number of rows that the table has acknowledged.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn conflicts(&self) -> &Named {
        &self.conflicts
    }

    pub(super) fn unsure(&self) -> &Named {
        &self.unsure
    }

    pub(super) fn repeated(&self) -> Repeated {
        self.repeated
    }

    pub(super) fn set_repeated(&mut self, repeated: Repeated) {
        self.repeated = repeated;
    }

    /// Checks whether no write has succeeded yet.
    pub(super) fn is_untried(&self) -> bool {
        self.written + self.conflicts.count + self.unsure.count == 0
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    pub(super) fn take_failure(&mut self) -> Option<anyhow::Error> {
        self.failure.take()
    }

    pub(super) fn begin(&mut self, write: Id, rows: usize) {
        self.under_way.insert(write, output::count_of(rows));
    }

    pub(super) fn end(&mut self, ended: Result<(Id, Ended), JoinError>) {
        let write = ended
            .as_ref()
            .map_or_else(JoinError::id, |(write, _)| *write);
        let rows = self.under_way.remove(&write).unwrap_or_default();
        let failure = match ended {
            Ok((_, Ended::Put(outcome))) => self.put(rows, outcome),
            Ok((_, Ended::Created(created))) => self.created(created),
            Err(broken_off) => {
                // The number of rows that it wrote is unknown.
                self.uncertain += rows;
                let broken_off = Err::<(), _>(broken_off).context("a write was aborted");
                broken_off.err()
            }
        };
        if let Some(failure) = failure {
            self.failure.get_or_insert(failure);
        }
    }

    fn put(&mut self, rows: u64, outcome: fluo_table::Result<()>) -> Option<anyhow::Error> {
        match outcome {
            Ok(()) => {
                self.written += rows;
                None
            }
            Err(error) => {
                if error.kind() == ErrorKind::Uncertain {
                    self.uncertain += rows;
                }
                Some(error.into())
            }
        }
    }

    fn created(&mut self, created: Created) -> Option<anyhow::Error> {
        self.written += created.written;
        self.uncertain += created.unknown;
        self.conflicts.add(created.conflicts);
        self.unsure.add(created.unsure);
        created.failure
    }

    /// Returns the message for a load that failed.
    pub(super) fn sentence(&self) -> String {
        let written = match self.written {
            0 => "before any row was written".to_owned(),
            1 => "after 1 row was written".to_owned(),
            rows => format!("after {} were written", plural(rows, "row")),
        };
        let rest = match self.uncertain {
            0 => String::new(),
            some if self.writing == Writing::CreateIfAbsent => format!(
                "; {} more may have been, and loading again names as conflicts those that were",
                output::grouped(some)
            ),
            some if self.writing != Writing::Put => {
                format!("; {} more may have been", output::grouped(some))
            }
            1 => "; 1 more may have been, and loading again writes it once".to_owned(),
            some => format!(
                "; {} more may have been, and loading again writes them once",
                output::grouped(some)
            ),
        };
        let is_touched = self.written + self.uncertain > 0;
        let again = self.drawn().filter(|_| is_touched);
        let again = again.map_or(String::new(), |again| format!("; {again}"));
        format!("the load stopped {written}{rest}{again}")
    }

    /// Returns the consequences of loading again, if salts are drawn.
    fn drawn(&self) -> Option<&'static str> {
        match self.writing {
            Writing::PutDrawn => Some(
                "loading again writes the rows that are there a second time, under other salts, as the salts of this \
                 design are drawn",
            ),
            Writing::PutSeeded => Some(
                "loading again is safe with the same --seed and the same file, which gives each row the same salt; \
                 otherwise it writes the rows that are there a second time",
            ),
            Writing::Put | Writing::CreateIfAbsent => None,
        }
    }

    /// Returns the message for a load that is interrupted.
    pub(super) fn standing(&self, table: &str) -> String {
        let written = match self.written {
            0 => "no row is known to be written".to_owned(),
            1 => "1 row is written".to_owned(),
            rows => format!("{} are written", plural(rows, "row")),
        };
        let rest = match self.under_way.values().sum::<u64>() + self.uncertain {
            0 => String::new(),
            some => format!(", {} more may be", output::grouped(some)),
        };
        let again = match self.writing {
            Writing::Put | Writing::PutDrawn | Writing::PutSeeded => self
                .drawn()
                .unwrap_or("loading again is safe, and writes each row once"),
            Writing::CreateIfAbsent => {
                "loading again is safe, and names as conflicts the rows that are written"
            }
        };
        format!("{written} to table `{table}`{rest}; {again}")
    }
}

#[cfg(test)]
mod tests {
    use fluo_table::{Bytes, Error};

    use super::*;

    fn begin(tally: &mut Tally, rows: usize) -> Id {
        let write = tokio::spawn(async {}).id();
        tally.begin(write, rows);
        write
    }

    fn end(tally: &mut Tally, rows: usize, outcome: fluo_table::Result<()>) {
        let write = begin(tally, rows);
        tally.end(Ok((write, Ended::Put(outcome))));
    }

    #[tokio::test]
    async fn counts_unacknowledged_rows_as_uncertain() {
        let mut tally = Tally::default();
        assert_eq!(
            tally.sentence(),
            "the load stopped before any row was written"
        );
        end(&mut tally, 1, Ok(()));
        assert_eq!(tally.sentence(), "the load stopped after 1 row was written");
        end(&mut tally, 999, Ok(()));
        let first = Error::new(ErrorKind::Unavailable, "first");
        end(&mut tally, 500, Err(first));
        assert_eq!(
            tally.sentence(),
            "the load stopped after 1,000 rows were written"
        );
        let second = Error::new(ErrorKind::Uncertain, "second");
        end(&mut tally, 1_000, Err(second));
        end(&mut tally, 200, Ok(()));
        assert_eq!(
            tally.sentence(),
            "the load stopped after 1,200 rows were written; 1,000 more may have been, and loading again writes them once"
        );
        assert_eq!(tally.failure.unwrap().to_string(), "first");
    }

    #[tokio::test]
    async fn counts_rows_under_way_as_uncertain_when_interrupted() {
        let mut tally = Tally::default();
        assert_eq!(
            tally.standing("t"),
            "no row is known to be written to table `t`; loading again is safe, and writes each row once"
        );
        let one = begin(&mut tally, 1);
        assert_eq!(
            tally.standing("t"),
            "no row is known to be written to table `t`, 1 more may be; loading again is safe, and writes each row once"
        );
        tally.end(Ok((one, Ended::Put(Ok(())))));
        end(&mut tally, 1_000, Ok(()));
        begin(&mut tally, 1_000);
        begin(&mut tally, 1_000);
        assert_eq!(
            tally.standing("t"),
            "1,001 rows are written to table `t`, 2,000 more may be; loading again is safe, and writes each row once"
        );
    }

    #[tokio::test]
    async fn reports_conflicts_and_unsure_rows() {
        let mut tally = Tally::new(Writing::CreateIfAbsent);
        let conflict = |line| Conflict {
            line,
            key: Bytes::from("k"),
        };
        let write = begin(&mut tally, 30);
        let created = Created {
            written: 3,
            conflicts: (0..25).rev().map(conflict).collect(),
            unsure: vec![conflict(30)],
            unknown: 1,
            failure: Some(Error::new(ErrorKind::Unavailable, "gone").into()),
        };
        tally.end(Ok((write, Ended::Created(created))));
        assert_eq!(tally.conflicts().count, 25);
        let lines: Vec<_> = tally.conflicts().first.iter().map(|c| c.line).collect();
        assert_eq!(lines, (0..10).collect::<Vec<_>>());
        assert_eq!(tally.unsure().count, 1);
        assert_eq!(
            tally.sentence(),
            "the load stopped after 3 rows were written; 1 more may have been, and loading again names as conflicts those \
             that were"
        );
        assert_eq!(
            tally.standing("t"),
            "3 rows are written to table `t`, 1 more may be; loading again is safe, and names as conflicts the rows that \
             are written"
        );
    }

    /// Covers a bug: these rows stayed under way for ever, and the message of a failed load did not
    /// include them.
    #[tokio::test]
    async fn counts_rows_of_an_aborted_write_as_uncertain() {
        let mut tally = Tally::default();
        end(&mut tally, 5, Ok(()));
        begin(&mut tally, 7);
        let mut writes = tokio::task::JoinSet::new();
        let write = writes.spawn(async { panic!("no table") });
        tally.begin(write.id(), 30);
        let broken_off: Result<(Id, Ended), _> = writes.join_next_with_id().await.unwrap();
        tally.end(broken_off);
        assert_eq!(
            tally.sentence(),
            "the load stopped after 5 rows were written; 30 more may have been, and loading again writes them once"
        );
        assert!(
            tally.standing("t").contains(", 37 more may be; "),
            "{}",
            tally.standing("t")
        );
        let failure = tally.take_failure().unwrap();
        assert_eq!(failure.to_string(), "a write was aborted");
    }

    #[tokio::test]
    async fn warns_about_loading_again_with_drawn_salts() {
        let drawn = "loading again writes the rows that are there a second time, under other salts, as the salts of this \
                     design are drawn";
        let seeded = "loading again is safe with the same --seed and the same file, which gives each row the same salt; \
                      otherwise it writes the rows that are there a second time";
        for (writing, again) in [(Writing::PutDrawn, drawn), (Writing::PutSeeded, seeded)] {
            let mut tally = Tally::new(writing);
            assert_eq!(
                tally.sentence(),
                "the load stopped before any row was written"
            );
            end(&mut tally, 2, Ok(()));
            assert_eq!(
                tally.sentence(),
                format!("the load stopped after 2 rows were written; {again}")
            );
            let unheard = Error::new(ErrorKind::Uncertain, "unheard");
            end(&mut tally, 1_000, Err(unheard));
            assert_eq!(
                tally.sentence(),
                format!(
                    "the load stopped after 2 rows were written; 1,000 more may have been; {again}"
                )
            );
            assert_eq!(
                tally.standing("t"),
                format!("2 rows are written to table `t`, 1,000 more may be; {again}")
            );
        }
    }
}
