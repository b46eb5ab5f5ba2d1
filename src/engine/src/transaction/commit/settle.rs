//! The fate of a conditional write whose answer may be lost.
//!
//! A lost answer leaves two questions open: was the write applied, and may it still be applied
//! later? So once an answer was lost, the write is in doubt, and every later answer except an
//! acceptance is checked against the table: a repetition may be rejected because of the first copy.
//!
//! | answer | without doubt | in doubt |
//! |---|---|---|
//! | accepted | applied | applied |
//! | rejected | rejected | look |
//! | refused, for now | open | look |
//! | refused | failed | look |
//! | lost | | look |
//!
//! A look that fails, for now, leaves the fate open. Any other look is decided by its step, which
//! knows the entries of its write.

use fluo_table::{Error, Outcome, Result};

use crate::transaction::CommitError;
use crate::transaction::status::TransactionStatus;

#[derive(Debug)]
pub(super) enum Fate {
    /// It took effect.
    Applied,
    /// A condition did not hold, and none of its earlier copies took effect. One that is in doubt
    /// may still arrive.
    Rejected,
    /// It may be repeated: it has not taken effect, or the look failed for now.
    Open(Error),
    /// It must not be repeated. Without doubt, nothing was written.
    Failed(CommitError),
}

/// Settles the fate of a conditional write after one answer.
///
/// `is_in_doubt` states whether the answer to an earlier copy was lost, and is updated. `look`
/// reads the state of the transaction. `decide` gets the result and the reason why the write was
/// not applied, or `None` if it was rejected.
pub(super) async fn settle(
    answer: Outcome,
    is_in_doubt: &mut bool,
    look: impl Future<Output = Result<TransactionStatus>>,
    decide: impl FnOnce(Result<TransactionStatus>, Option<Error>) -> Fate,
) -> Fate {
    let refusal = match answer {
        Outcome::Accepted => return Fate::Applied,
        Outcome::Rejected => None,
        Outcome::ConstraintViolation(error) => Some(error),
        Outcome::Unknown(error) => {
            *is_in_doubt = true;
            Some(error)
        }
    };
    if *is_in_doubt {
        return match look.await {
            Err(error) if error.kind().is_passing() => Fate::Open(error),
            found => decide(found, refusal),
        };
    }
    match refusal {
        None => Fate::Rejected,
        Some(error) if error.kind().is_passing() => Fate::Open(error),
        Some(error) => Fate::Failed(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use fluo_table::{Bytes, ErrorKind};

    use super::*;

    /// The fate, the doubt, and whether the table was read.
    type Settled = (&'static str, bool, bool);

    /// Settles the answer to a lock, which a look finds in this state.
    async fn settled(
        answer: Outcome,
        mut is_in_doubt: bool,
        found: Result<TransactionStatus>,
    ) -> Settled {
        let has_looked = Cell::new(false);
        let look = async {
            has_looked.set(true);
            found
        };
        let decide = |found: Result<_>, refusal| match (found, refusal) {
            (Ok(TransactionStatus::Locked(_)), _) => Fate::Applied,
            (Ok(_), None) => Fate::Rejected,
            (Ok(_), Some(error)) => Fate::Open(error),
            (Err(error), _) => Fate::Failed(error.into()),
        };
        let fate = match settle(answer, &mut is_in_doubt, look, decide).await {
            Fate::Applied => "applied",
            Fate::Rejected => "rejected",
            Fate::Open(_) => "open",
            Fate::Failed(_) => "failed",
        };
        (fate, is_in_doubt, has_looked.get())
    }

    fn error(kind: ErrorKind) -> Error {
        Error::new(kind, "simulated")
    }

    fn locked() -> Result<TransactionStatus> {
        Ok(TransactionStatus::Locked(Bytes::new()))
    }

    fn refused(kind: ErrorKind) -> Outcome {
        Outcome::ConstraintViolation(error(kind))
    }

    fn lost() -> Outcome {
        Outcome::Unknown(error(ErrorKind::Uncertain))
    }

    #[tokio::test]
    async fn believes_every_answer_until_one_is_lost() {
        for (answer, fate) in [
            (Outcome::Accepted, "applied"),
            (Outcome::Rejected, "rejected"),
            (refused(ErrorKind::Unavailable), "open"),
            (refused(ErrorKind::Denied), "failed"),
        ] {
            assert_eq!(settled(answer, false, locked()).await, (fate, false, false));
        }
    }

    #[tokio::test]
    async fn looks_at_the_table_after_a_lost_answer() {
        assert_eq!(settled(lost(), false, locked()).await, ("applied", true, true));
        let unknown = Ok(TransactionStatus::Unknown);
        assert_eq!(settled(lost(), false, unknown).await, ("open", true, true));
    }

    #[tokio::test]
    async fn believes_only_an_acceptance_while_the_write_is_in_doubt() {
        let accepted = settled(Outcome::Accepted, true, locked()).await;
        assert_eq!(accepted, ("applied", true, false));
        for (answer, fate) in [
            (Outcome::Rejected, "rejected"),
            (refused(ErrorKind::Unavailable), "open"),
            (refused(ErrorKind::Denied), "open"),
            (lost(), "open"),
        ] {
            let found = settled(answer.clone(), true, locked()).await;
            assert_eq!(found, ("applied", true, true), "{answer:?}");
            let absent = settled(answer.clone(), true, Ok(TransactionStatus::Unknown)).await;
            assert_eq!(absent, (fate, true, true), "{answer:?}");
        }
    }

    #[tokio::test]
    async fn leaves_the_fate_open_after_a_look_that_fails_for_now() {
        for (kind, fate) in [(ErrorKind::Unavailable, "open"), (ErrorKind::Denied, "failed")] {
            for answer in [Outcome::Rejected, lost()] {
                let settled = settled(answer, true, Err(error(kind))).await;
                assert_eq!(settled, (fate, true, true));
            }
        }
    }
}
