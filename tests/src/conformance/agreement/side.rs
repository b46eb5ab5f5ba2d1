//! One of the two implementations, and its answers.

use std::sync::Arc;

use fluo_table::{
    Authorizations, Bytes, Cell, Error, ErrorKind, Garbage, Outcome, Result, Scan, Span, Table,
    TableAdmin, Versions,
};

use super::operation::{Operation, Reader};
use crate::conformance::ground::{CUSTOM, read, set_versions, unused_name};

pub(super) struct Side {
    tables: Arc<dyn TableAdmin>,
    name: String,
    handles: Handles,
    old: Arc<dyn Table>,
}

struct Handles {
    unauthorized: Arc<dyn Table>,
    with_a: Arc<dyn Table>,
    with_a_and_b: Arc<dyn Table>,
}

/// The comparable part of an answer.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Written,
    Outcomes(Vec<Settled>),
    Cells(Vec<Cell>),
    State(State),
    Failed(ErrorKind),
}

#[derive(Debug, PartialEq)]
pub(super) enum Settled {
    Accepted,
    Rejected,
    Unknown,
}

/// The state of a table according to the admin port.
#[derive(Debug, PartialEq)]
pub(super) struct State {
    splits: Vec<Bytes>,
    end_rows: Vec<Option<Bytes>>,
    versions: Versions,
    custom: Option<String>,
}

impl Side {
    pub(super) async fn new(tables: Arc<dyn TableAdmin>) -> Self {
        let name = unused_name();
        tables.create_table(&name, Versions::default()).await.unwrap();
        let handles = Handles::open(&*tables, &name).await;
        let old = handles.unauthorized.clone();
        Self { tables, name, handles, old }
    }

    pub(super) async fn run(&mut self, operation: &Operation) -> Answer {
        match operation {
            Operation::Write(mutations) => {
                let written = self.handles.unauthorized.write(mutations.clone()).await;
                answer(written.map(|()| Answer::Written))
            }
            Operation::WriteConditional(reader, mutations) => {
                let outcomes = self.reader(*reader).write_conditional(mutations.clone()).await;
                answer(
                    outcomes
                        .map(|outcomes| Answer::Outcomes(outcomes.iter().map(settled).collect())),
                )
            }
            Operation::Scan(reader, scan) => self.scan(*reader, scan).await,
            Operation::AddSplits(splits) => {
                let splits = splits.iter().cloned().collect();
                let added = self.tables.add_splits(&self.name, &splits).await;
                self.state_after(added).await
            }
            Operation::Merge(start, end) => {
                let merged = self.tables.merge(&self.name, start.as_deref(), end.as_deref()).await;
                self.state_after(merged).await
            }
            Operation::SetVersions(versions) => {
                set_versions(&*self.tables, &self.name, *versions).await;
                self.state_after(Ok(())).await
            }
            Operation::SetProperty(value) => {
                let set = self.tables.set_property(&self.name, CUSTOM, value).await;
                self.state_after(set).await
            }
            Operation::RemoveProperty => {
                let removed = self.tables.remove_property(&self.name, CUSTOM).await;
                self.state_after(removed).await
            }
            Operation::Flush => {
                let flushed = self.tables.flush(&self.name).await;
                self.state_after(flushed).await
            }
            Operation::Compact => {
                let compacted = self.tables.compact(&self.name, &Span::all(), Garbage::Keep).await;
                self.state_after(compacted).await
            }
            Operation::Replace(versions) => {
                let replaced = self.replace(*versions).await;
                self.state_after(replaced).await
            }
        }
    }

    pub(super) async fn end(self) {
        self.tables.delete_table(&self.name).await.unwrap();
    }

    fn reader(&self, reader: Reader) -> &dyn Table {
        match reader {
            Reader::Unauthorized => &*self.handles.unauthorized,
            Reader::WithA => &*self.handles.with_a,
            Reader::WithAAndB => &*self.handles.with_a_and_b,
            Reader::OfOldTable => &*self.old,
        }
    }

    async fn scan(&self, reader: Reader, scan: &Scan) -> Answer {
        let table = self.reader(reader);
        match table.read(scan.clone()).await {
            Ok(_) => Answer::Cells(read(table, scan.clone()).await),
            failed => answer(failed.map(Answer::Cells)),
        }
    }

    async fn replace(&mut self, versions: Versions) -> Result<()> {
        self.tables.delete_table(&self.name).await?;
        self.tables.create_table(&self.name, versions).await?;
        let handles = Handles::open(&*self.tables, &self.name).await;
        self.old = std::mem::replace(&mut self.handles, handles).unauthorized;
        Ok(())
    }

    async fn state_after(&self, result: Result<()>) -> Answer {
        match result {
            Ok(()) => Answer::State(self.state().await),
            Err(error) => Answer::Failed(error.kind()),
        }
    }

    async fn state(&self) -> State {
        let properties = self.tables.properties(&self.name).await.unwrap();
        let tablets = self.tables.tablets(&self.name).await.unwrap();
        State {
            splits: self.tables.splits(&self.name).await.unwrap(),
            end_rows: tablets.as_slice().iter().map(|tablet| tablet.end_row.clone()).collect(),
            versions: Versions::for_scan(&properties),
            custom: properties.get(CUSTOM).cloned(),
        }
    }
}

impl Handles {
    async fn open(tables: &dyn TableAdmin, name: &str) -> Self {
        let open = async |labels: &[&'static str]| {
            let held: Authorizations = labels.iter().copied().collect();
            tables.open_table(name, held).await.unwrap()
        };
        Self {
            unauthorized: open(&[]).await,
            with_a: open(&["A"]).await,
            with_a_and_b: open(&["A", "B"]).await,
        }
    }
}

fn answer(result: Result<Answer>) -> Answer {
    result.unwrap_or_else(|error: Error| Answer::Failed(error.kind()))
}

fn settled(outcome: &Outcome) -> Settled {
    match outcome {
        Outcome::Accepted => Settled::Accepted,
        Outcome::Rejected | Outcome::ConstraintViolation(_) => Settled::Rejected,
        Outcome::Unknown(_) => Settled::Unknown,
    }
}
