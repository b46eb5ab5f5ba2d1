//! The data port.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fluo_table::coordination::PendingCommit;
use fluo_table::{
    Authorizations, CellBatches, ConditionalMutation, Error, Excerpt, Grouped, KeyRef,
    MultiRowWrite, Mutation, Outcome, Result, Scan, Table, Versions, counted,
};

use crate::catalog;
use crate::engine::{Read, Snapshot};
use crate::error::Failure;
use crate::key;
use crate::scan::{self, Reader};
use crate::tables::Shared;
use crate::writer::{TableRef, Write};

/// Number of bytes of the longest key of a cell, as it is stored.
const MAX_KEY_BYTES: usize = 64_000;

/// A handle on one table, with its authorizations.
#[derive(Debug)]
pub(crate) struct EmbeddedTable {
    pub(crate) shared: Arc<Shared>,
    pub(crate) table: TableRef,
    pub(crate) authorizations: Arc<Authorizations>,
    /// [`Snapshot::changes`] when the properties were last read, and the versions that they show.
    pub(crate) versions: Mutex<Option<(u64, Versions)>>,
}

#[async_trait]
impl Table for EmbeddedTable {
    /// Takes the snapshot immediately: the scan shows everything that was acknowledged until now,
    /// and nothing later.
    fn scan(&self, scan: Scan) -> CellBatches {
        scan::batches(self.shared.store.contained(|| self.reader(scan)))
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn check_mutation(&self, mutation: &Mutation) -> Result<()> {
        mutation.check()?;
        self.check_size(&mutation.row, mutation.size_bytes())?;
        check_keys(mutation)
    }

    async fn write(&self, mutations: Vec<Mutation>) -> Result<()> {
        mutations.iter().try_for_each(Mutation::check)?;
        let mutations = mutations.into_iter().map(Into::into).collect();
        for outcome in self.submit(mutations, false, None).await? {
            if let Outcome::Unknown(error) = outcome {
                return Err(error);
            }
        }
        Ok(())
    }

    async fn write_conditional(&self, mutations: Vec<ConditionalMutation>) -> Result<Vec<Outcome>> {
        for conditional in &mutations {
            conditional.check(&self.authorizations)?;
        }
        self.submit(mutations, false, None).await
    }

    fn together(&self) -> Option<&dyn MultiRowWrite> {
        Some(self)
    }
}

#[async_trait]
impl MultiRowWrite for EmbeddedTable {
    /// Passes the call to the writer, which applies a call in one transaction of the storage.
    async fn write_atomically(
        &self,
        mutations: Vec<ConditionalMutation>,
        commit: Option<PendingCommit>,
    ) -> Result<Outcome> {
        ConditionalMutation::check_together(&mutations, &self.authorizations)?;
        let mut outcomes = self.submit(mutations, true, commit).await?;
        outcomes.pop().ok_or_else(|| Error::invalid("there are no mutations"))
    }
}

impl EmbeddedTable {
    fn reader(&self, scan: Scan) -> Result<Reader, Failure> {
        let snapshot = self.shared.store.engine().snapshot();
        let cells = snapshot.maps().cells(self.table.id);
        let cells = cells.ok_or_else(|| Error::no_such_table(&self.table.name))?;
        let versions = self.versions(&snapshot)?;
        let (shared, authorizations) = (self.shared.clone(), self.authorizations.clone());
        Ok(Reader::new(shared, snapshot, cells, versions, authorizations, scan))
    }

    fn versions(&self, snapshot: &Snapshot) -> Result<Versions, Failure> {
        let lock = || self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        let last = *lock();
        if let Some((_, versions)) = last.filter(|(changes, _)| *changes == snapshot.changes) {
            return Ok(versions);
        }
        let versions = Versions::for_scan(&catalog::properties(snapshot, self.table.id)?);
        *lock() = Some((snapshot.changes, versions));
        Ok(versions)
    }

    async fn submit(
        &self,
        mutations: Vec<ConditionalMutation>,
        is_atomic: bool,
        commit: Option<PendingCommit>,
    ) -> Result<Vec<Outcome>> {
        for conditional in &mutations {
            self.check_size(&conditional.mutation.row, conditional.size_bytes())?;
            check_keys(&conditional.mutation)?;
        }
        let write = Write {
            table: self.table.clone(),
            mutations,
            authorizations: self.authorizations.clone(),
            is_atomic,
            commit,
        };
        self.shared.writer.write(write).await
    }

    fn check_size(&self, row: &[u8], size: usize) -> Result<()> {
        let max = self.shared.max_mutation_bytes;
        if size <= max {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "the mutation of row {} has {}; this table takes {} at most",
            Excerpt::new(row),
            counted(size, "byte"),
            Grouped::new(max)
        )))
    }
}

/// Checks that no key is too long. The limit leaves room for the name of an application, which a
/// failed notification stores before the key of its cell.
fn check_keys(mutation: &Mutation) -> Result<()> {
    let mut bytes = Vec::new();
    for update in &mutation.updates {
        let column = &update.column;
        let parts = [&mutation.row, &column.family, &column.qualifier, &column.visibility];
        // A part has two bytes more when it is stored, and its zero bytes are doubled.
        if parts.iter().map(|part| 2 * part.len()).sum::<usize>() < MAX_KEY_BYTES - 100 {
            continue;
        }
        bytes.clear();
        key::push_key(&mut bytes, KeyRef::new(&mutation.row, column, 0), false);
        if bytes.len() > MAX_KEY_BYTES {
            return Err(Error::invalid(format!(
                "a key in row {} has {} when it is stored; a directory takes {} at most",
                Excerpt::new(&mutation.row),
                counted(bytes.len(), "byte"),
                Grouped::new(MAX_KEY_BYTES)
            )));
        }
    }
    Ok(())
}
