//! Claimers of rows. Each one records the outcomes that it receives, and the owners of the rows are
//! checked against them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_table::{Condition, Error, ErrorKind, Outcome, Table};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::faults_ground::{claimed, pair, say};
use crate::faults_writers::{PAUSE_AFTER_FAILURE, Signals, message, rows};

/// The outcome of a claim of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Won,
    Lost,
    Unknown,
    NotMade,
}

/// The outcomes that claimers received, by row and claimer.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    rows: BTreeMap<String, BTreeMap<usize, Claim>>,
    pub(crate) errors: Vec<Error>,
}

/// Creates rows that other claimers create too, if they are absent, with the claimer's number as
/// the value.
pub(crate) fn claim(
    table: &Arc<dyn Table>,
    signals: &Arc<Signals>,
    claimer: usize,
) -> JoinHandle<Claims> {
    let (table, signals) = (Arc::clone(table), Arc::clone(signals));
    tokio::spawn(async move {
        let mut claims = Claims::default();
        let mut write = 0;
        while signals.go_on() {
            let rows = rows("claim", write);
            let mutations = rows
                .iter()
                .map(|row| pair(row, &claimer.to_string()).when(Condition::absent(claimed())));
            match table.write_conditional(mutations.collect()).await {
                Ok(outcomes) => {
                    assert_eq!(outcomes.len(), rows.len());
                    if outcomes.iter().all(|outcome| !matches!(outcome, Outcome::Unknown(_))) {
                        signals.succeeded();
                    }
                    for (row, outcome) in rows.into_iter().zip(outcomes) {
                        claims.add(row, claimer, outcome);
                    }
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
                    for row in rows {
                        claims.insert(row, claimer, Claim::NotMade);
                    }
                    claims.errors.push(error);
                    sleep(PAUSE_AFTER_FAILURE).await;
                }
            }
            write += 1;
        }
        claims
    })
}

impl Claims {
    fn add(&mut self, row: String, claimer: usize, outcome: Outcome) {
        let claim = match outcome {
            Outcome::Accepted => Claim::Won,
            Outcome::Rejected => Claim::Lost,
            Outcome::Unknown(error) => {
                assert_eq!(error.kind(), ErrorKind::Uncertain, "{error}");
                self.errors.push(error);
                Claim::Unknown
            }
            Outcome::ConstraintViolation(error) => panic!("{error}"),
        };
        self.insert(row, claimer, claim);
    }

    fn insert(&mut self, row: String, claimer: usize, claim: Claim) {
        self.rows.entry(row).or_default().insert(claimer, claim);
    }

    pub(crate) async fn of(claimers: Vec<JoinHandle<Claims>>) -> Claims {
        let mut all = Claims::default();
        for claimer in claimers {
            let claims = claimer.await.unwrap();
            all.errors.extend(claims.errors);
            for (row, each) in claims.rows {
                all.rows.entry(row).or_default().extend(each);
            }
        }
        all
    }

    /// Checks the claims against the rows. At most one claim of a row is won, and its claimer owns
    /// the row. The claim of an owner is won or unknown. A row with a lost claim has an owner.
    pub(crate) fn check(&self, found: &BTreeMap<String, String>) {
        for (row, claims) in &self.rows {
            let all = |wanted| claims.values().filter(|claim| **claim == wanted).count();
            assert!(all(Claim::Won) <= 1, "{row} was won twice: {claims:?}");
            let Some(owner) = found.get(row) else {
                assert_eq!(all(Claim::Won), 0, "{row} was won and is not there");
                assert_eq!(all(Claim::Lost), 0, "{row} was lost and is not there");
                continue;
            };
            let owner: usize = owner.parse().unwrap();
            let of_owner = claims[&owner];
            assert!(
                matches!(of_owner, Claim::Won | Claim::Unknown),
                "{row} is of {owner}: {claims:?}"
            );
            assert!(all(Claim::Won) == 0 || of_owner == Claim::Won, "{row}: {claims:?}");
        }
        let all = |wanted| {
            let claims = self.rows.values().flat_map(BTreeMap::values);
            claims.filter(|claim| **claim == wanted).count()
        };
        say(&format!(
            "{} rows; claims: {} won, {} lost, {} unknown, {} not made",
            self.rows.len(),
            all(Claim::Won),
            all(Claim::Lost),
            all(Claim::Unknown),
            all(Claim::NotMade)
        ));
        assert!(all(Claim::Won) > 0 && all(Claim::Lost) > 0);
    }

    #[track_caller]
    pub(crate) fn message(&self, kind: ErrorKind) -> String {
        message(&self.errors, kind)
    }
}
