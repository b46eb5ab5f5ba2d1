//! [`Table`] for one table of an Accumulo instance.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use accumulo_proxy::{
    self as proxy, ConditionalOutcome, ConditionalWriter, Error as ProxyError,
    ErrorKind as ProxyErrorKind,
};
use async_trait::async_trait;
use fluo_table::{
    Authorizations, CellBatches, Condition, ConditionalMutation, Error, ErrorKind, Escaped,
    Grouped, Mutation, Outcome, Result, Scan, Table, Update, counted,
};

use crate::error::{in_doubt, port_error};
use crate::tables::AccumuloTables;
use crate::{convert, filter};

/// Longest key that a table accepts: every table has a constraint that rejects longer ones
/// (`DefaultKeySizeConstraint`).
const MAX_KEY_BYTES: usize = 1 << 20;
const SHOWN_BYTES: usize = 60;

/// Maximum number of plain mutations of a write that travels with others.
const GATHERED_ROWS: usize = 64;
/// Maximum number of bytes of a write that travels with others.
const GATHERED_BYTES: usize = 256 * 1024;
/// The permissions for a conditional write. A server does not say which one is missing.
const READ_OR_WRITE: &str = "READ or WRITE";
/// A timestamp that no cell has. It is the oldest one that a server can check.
const NO_CELLS_TIMESTAMP: i64 = i64::MIN + 1;

#[derive(Clone, Debug)]
pub(crate) struct AccumuloTable {
    pub(crate) tables: AccumuloTables,
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) authorizations: Authorizations,
    pub(crate) conditional_writer: ConditionalWriter,
    /// Set after a plain write was denied as a conditional one. The user may lack READ, which a
    /// plain write does not need, so from then on plain writes do not travel with others.
    pub(crate) conditional_is_denied: Arc<AtomicBool>,
}

#[async_trait]
impl Table for AccumuloTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        self.batches(scan)
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        mutation.check()?;
        check_keys(mutation)?;
        let mutation = convert::mutation(mutation.clone());
        self.tables.client.check_write(&self.name, &mutation).map_err(port_error)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        for mutation in &mutations {
            mutation.check()?;
            check_keys(mutation)?;
        }
        self.check().await?;
        let travels = travels(&mutations) && !self.conditional_is_denied.load(Ordering::Relaxed);
        let all = mutations.into_iter().map(convert::mutation).collect();
        if !travels {
            return self.write_alone(all).await;
        }
        let (left, may_be_written) = self.write_with_others(all).await?;
        if left.is_empty() {
            return Ok(());
        }
        let again = async {
            // The name may belong to another table by now.
            self.tables.check_id_now(&self.name, &self.id).await?;
            self.write_alone(left).await
        };
        again.await.map_err(|error| {
            if may_be_written {
                in_doubt("some of the mutations may be written", error)
            } else {
                error
            }
        })
    }

    /// Sends the mutations with the conditional writer, which combines the rows of concurrent
    /// callers into one call.
    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        for conditional in &mutations {
            conditional.check(&self.authorizations)?;
            check_keys(&conditional.mutation)?;
            check_timestamps(conditional)?;
        }
        let mut conditions = mutations.iter().flat_map(|conditional| &conditional.conditions);
        if conditions.any(|condition| filter::needs_fluo(condition.filter)) {
            self.tables.require_iterators().await?;
        }
        let mutations = mutations.into_iter().map(convert::conditional);
        let mutations = mutations.collect::<Result<Vec<_>>>()?;
        self.check().await?;
        let written = self.conditional_writer.write_all(mutations);
        let outcomes = self.tables.permitted(READ_OR_WRITE, &self.name, written).await?;
        Ok(outcomes.into_iter().map(|outcome| self.outcome(outcome)).collect())
    }
}

impl AccumuloTable {
    async fn write_alone(&self, mutations: Vec<proxy::Mutation>) -> Result<()> {
        let Err(error) = self.tables.client.write(&self.name, mutations).await else {
            return Ok(());
        };
        Err(match error.kind() {
            ProxyErrorKind::Security => self.tables.lacking("WRITE", &self.name, error),
            // For a deleted table Accumulo returns only a number of exceptions.
            ProxyErrorKind::TableNotFound
            | ProxyErrorKind::MutationsRejected
            | ProxyErrorKind::Accumulo
            | ProxyErrorKind::Protocol => {
                self.tables.write_error(&self.name, &self.id, error).await
            }
            // The proxy did not answer, or the client made no call.
            _ => port_error(error),
        })
    }

    /// Sends plain mutations in the calls of the conditional writer, which cost less than plain
    /// calls (decision 21). Returns the mutations that are not known to be written, which the
    /// caller writes alone, and whether any mutation may be written.
    async fn write_with_others(
        &self,
        mutations: Vec<proxy::Mutation>,
    ) -> Result<(Vec<proxy::Mutation>, bool)> {
        let conditional = mutations.iter().cloned().map(always).collect();
        let outcomes = match self.conditional_writer.write_all(conditional).await {
            Ok(outcomes) => outcomes,
            Err(error) if is_lost(&error) => return Err(port_error(error)),
            Err(error) => {
                self.record_denial(&error);
                return Ok((mutations, false));
            }
        };
        let (mut left, mut may_be_written) = (Vec::new(), false);
        for (mutation, outcome) in mutations.into_iter().zip(outcomes) {
            match outcome {
                ConditionalOutcome::Unknown(Some(error)) if is_lost(&error) => {
                    return Err(uncertain(error));
                }
                ConditionalOutcome::Accepted => may_be_written = true,
                outcome => {
                    if let ConditionalOutcome::Unknown(error) = &outcome {
                        let error = error.as_ref();
                        may_be_written |= !error.is_some_and(|error| self.record_denial(error));
                    }
                    left.push(mutation);
                }
            }
        }
        Ok((left, may_be_written))
    }

    /// Returns `true` if the error is a denial. Then no further plain write of this handle travels
    /// with others.
    fn record_denial(&self, error: &ProxyError) -> bool {
        if error.is_denial() {
            self.conditional_is_denied.store(true, Ordering::Relaxed);
        }
        error.is_denial()
    }

    /// Checks that the name still belongs to the same table.
    pub(crate) async fn check(&self) -> Result<()> {
        self.tables.check_id(&self.name, &self.id).await
    }

    fn outcome(&self, outcome: ConditionalOutcome) -> Outcome {
        let table = &self.name;
        let violation = |message: String| Outcome::ConstraintViolation(Error::invalid(message));
        match outcome {
            ConditionalOutcome::Accepted => Outcome::Accepted,
            ConditionalOutcome::Rejected => Outcome::Rejected,
            ConditionalOutcome::ConstraintViolation => violation(format!(
                "a constraint of table `{table}` forbids the mutation; nothing of it was written"
            )),
            ConditionalOutcome::InvisibleVisibility => violation(format!(
                "a condition looks at a column of table `{table}` that this handle may not see; nothing was written"
            )),
            // Other mutations of the call have an outcome, so the call as a whole did not fail.
            ConditionalOutcome::Unknown(Some(error))
                if error.is_denial() || !error.may_have_taken_effect() =>
            {
                Outcome::Unknown(self.tables.lacking(READ_OR_WRITE, table, error))
            }
            ConditionalOutcome::Unknown(Some(error)) => Outcome::Unknown(uncertain(error)),
            ConditionalOutcome::Unknown(None) => {
                let message = format!(
                    "a server of table `{table}` did not say whether the mutation was written"
                );
                Outcome::Unknown(Error::new(ErrorKind::Uncertain, message))
            }
        }
    }
}

/// Checks whether mutations may travel with others: they are few, and each has a row of its own. A
/// refused mutation is written again, so each update has a timestamp, and a later mutation of its
/// row must not be overtaken.
fn travels(mutations: &[Mutation]) -> bool {
    let bytes: usize = mutations.iter().map(Mutation::size_bytes).sum();
    let rows: BTreeSet<_> = mutations.iter().map(|mutation| &mutation.row).collect();
    let mut updates = mutations.iter().flat_map(|mutation| &mutation.updates);
    mutations.len() <= GATHERED_ROWS
        && rows.len() == mutations.len()
        && bytes <= GATHERED_BYTES
        && updates.all(|update| update.timestamp.is_some())
}

/// Adds a condition that always holds: no cell has its timestamp.
fn always(mutation: proxy::Mutation) -> proxy::ConditionalMutation {
    mutation.when([proxy::Condition::absent("", "").at(NO_CELLS_TIMESTAMP)])
}

fn uncertain(error: ProxyError) -> Error {
    let message = format!("it is unknown whether the mutation was written: {error}");
    Error::with_source(ErrorKind::Uncertain, message, error)
}

fn is_lost(error: &ProxyError) -> bool {
    matches!(error.kind(), ProxyErrorKind::Unreachable | ProxyErrorKind::TimedOut)
}

/// Checks the lengths of keys. The server would report a longer key as a violated constraint, after
/// other mutations of the call were written.
fn check_keys(mutation: &Mutation) -> Result<()> {
    let key_bytes = |update: &Update| mutation.row.len() + update.column.size_bytes();
    let mut keys = mutation.updates.iter().map(key_bytes);
    match keys.find(|bytes| *bytes > MAX_KEY_BYTES) {
        None => Ok(()),
        Some(bytes) => Err(Error::invalid(format!(
            "a key of row `{}` has {} (row and column); Accumulo accepts at most {}",
            Escaped::start(&mutation.row.slice(..SHOWN_BYTES.min(mutation.row.len()))),
            counted(bytes, "byte"),
            Grouped::new(MAX_KEY_BYTES)
        ))),
    }
}

/// Rejects conditions at the oldest timestamp. A server fails at such a condition, and with it the
/// whole call.
fn check_timestamps(conditional: &ConditionalMutation) -> Result<()> {
    let is_oldest = |condition: &Condition| condition.timestamp == Some(i64::MIN);
    match conditional.conditions.iter().find(|condition| is_oldest(condition)) {
        None => Ok(()),
        Some(condition) => Err(Error::invalid(format!(
            "row `{}`, column `{}`: Accumulo cannot check a condition at timestamp {}; the oldest is {}",
            Escaped(&conditional.mutation.row),
            condition.column,
            i64::MIN,
            i64::MIN + 1
        ))),
    }
}
