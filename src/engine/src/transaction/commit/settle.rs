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

use fluo_table::{ConditionalMutation, Error, ErrorKind, Outcome, Result};

use crate::client::is_passing;
use crate::transaction::CommitError;
use crate::transaction::commit::Commit;
use crate::transaction::status::TransactionStatus;

/// The fate of a conditional write.
#[derive(Debug)]
pub(super) enum Fate {
    /// It took effect.
    Applied,
    /// A condition did not hold, and none of its earlier copies took effect. One that is in doubt
    /// may still arrive.
    Rejected,
    /// It has not taken effect, and may be repeated.
    Open(Error),
    /// It must not be repeated. Without doubt, nothing was written.
    Failed(CommitError),
}

/// Settles the fate of a conditional write after one answer.
///
/// `is_in_doubt` states whether the answer to an earlier copy was lost, and is updated. `look` reads
/// the state of the transaction. `decide` gets the result and the reason why the write was not
/// applied, or `None` if it was rejected.
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
            Err(error) if is_passing(error.kind()) => Fate::Open(error),
            found => decide(found, refusal),
        };
    }
    match refusal {
        None => Fate::Rejected,
        Some(error) if is_passing(error.kind()) => Fate::Open(error),
        Some(error) => Fate::Failed(error.into()),
    }
}

impl Commit {
    /// Repeats a conditional write of the primary until its fate is settled, or until the time is
    /// up.
    pub(super) async fn settle(
        &self,
        write: &[ConditionalMutation],
        is_in_doubt: &mut bool,
        decide: impl Fn(Result<TransactionStatus>, Option<Error>) -> Fate,
    ) -> Fate {
        let mut backoff = self.reading.client.call_backoff(self.plan.start);
        loop {
            let answer = self.write_as_one(write.to_vec()).await;
            let fate = settle(answer, is_in_doubt, self.status(), &decide).await;
            if !matches!(fate, Fate::Open(_)) || !backoff.wait().await {
                return fate;
            }
        }
    }
}

/// Returns the error for a mutation without an answer.
pub(super) fn no_answer() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the table returned no outcome for a mutation",
    )
}
