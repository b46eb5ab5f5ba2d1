//! Actors on one table, in every order of their calls.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use fluo_keys::{KeyMigration, MigrationOptions, RowSelection};
use fluo_table::{MemoryTables, Mutation, Table, Versions};
use fluo_tests::{Call, Intercepted};
use futures::stream::TryStreamExt;

use super::{Seen, column, migrate, modulo, new_table, scan_all, seen, small_steps};

async fn wait_once() {
    let mut has_waited = false;
    std::future::poll_fn(|context: &mut Context<'_>| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Returns a table whose calls each wait once before they take effect, so that a test decides their
/// order.
fn stepwise(table: &Arc<dyn Table>) -> Arc<dyn Table> {
    let wait = |_: &Call| async {
        wait_once().await;
        Ok(None)
    };
    Arc::new(Intercepted::with_hooks(table.clone(), wait).row_by_row())
}

pub(crate) type Actor = Pin<Box<dyn Future<Output = ()>>>;

/// Runs actors in every order of their calls. `start` creates them for each order, and `check`
/// checks the result. Returns the number of orders.
pub(crate) fn in_every_order<T>(start: impl Fn() -> (T, Vec<Actor>), check: impl Fn(T)) -> usize {
    let (mut prefix, mut orders): (Vec<usize>, usize) = (Vec::new(), 0);
    loop {
        let (state, mut actors) = start();
        let mut taken: Vec<(usize, usize)> = Vec::new();
        while !actors.is_empty() {
            let choice = prefix.get(taken.len()).copied().unwrap_or_default();
            taken.push((choice, actors.len()));
            let mut context = Context::from_waker(Waker::noop());
            if actors[choice].as_mut().poll(&mut context).is_ready() {
                drop(actors.remove(choice));
            }
        }
        check(state);
        orders += 1;
        while taken.last().is_some_and(|(choice, options)| choice + 1 == *options) {
            taken.pop();
        }
        let Some((last, _)) = taken.pop() else {
            return orders;
        };
        prefix = taken.iter().map(|(choice, _)| *choice).chain([last + 1]).collect();
    }
}

/// Runs the actors of a new scene in every order of their calls.
pub(crate) fn in_every_order_of(
    actors: impl Fn(&Scene) -> Vec<Actor>,
    check: impl Fn(Scene),
) -> usize {
    let start = || {
        let scene = Scene::new();
        let actors = actors(&scene);
        (scene, actors)
    };
    in_every_order(start, check)
}

/// State that actors share: the table, and the cells that a reader has read.
pub(crate) struct Scene {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) epochs: KeyMigration,
    pub(crate) read: Arc<std::sync::Mutex<Vec<Seen>>>,
}

impl Scene {
    /// Creates the rows `a`, `b` and `c`, all by the older design. `b` has the same key in both
    /// designs.
    pub(crate) fn new() -> Self {
        let scene = Self {
            table: now(new_table(&MemoryTables::new(), Versions::default())),
            epochs: KeyMigration::new([modulo(1), modulo(2)], Versions::default()).unwrap(),
            read: Arc::default(),
        };
        for row in ["a", "b", "c"] {
            let key = modulo(1).encode_row(row.as_bytes()).unwrap();
            let put =
                Mutation::new(key).put_at(column("q"), 1, "old").put_at(column("r"), 1, "old");
            now(scene.table.write(vec![put])).unwrap();
        }
        assert_eq!(now(scene.epochs.count(&*scene.table)).unwrap().left(), 2);
        scene
    }

    pub(crate) fn slow(&self) -> (KeyMigration, Arc<dyn Table>) {
        (self.epochs.clone(), stepwise(&self.table))
    }

    pub(crate) fn migrator(&self, step_cells: usize) -> Actor {
        let (epochs, table) = self.slow();
        Box::pin(async move {
            migrate(&epochs, &*table, &small_steps(step_cells)).await;
        })
    }

    pub(crate) fn reader(&self) -> Actor {
        let ((epochs, table), read) = (self.slow(), self.read.clone());
        Box::pin(async move {
            let all = scan_all(&epochs, &table).await;
            read.lock().unwrap().push(all);
        })
    }

    /// Reads row by row, each time after the cursor of the previous row.
    pub(crate) fn paging_reader(&self) -> Actor {
        let ((epochs, table), read) = (self.slow(), self.read.clone());
        Box::pin(async move {
            let (mut all, mut cursor) = (Seen::new(), None);
            loop {
                let scan = epochs.scan(&RowSelection::All).unwrap().limit(1);
                let scan = match &cursor {
                    Some(cursor) => scan.after(cursor).unwrap(),
                    None => scan,
                };
                let Some(batch) = scan.run(table.clone()).try_next().await.unwrap() else { break };
                assert_eq!(batch.len(), 1);
                batch.rows().for_each(|row| all.extend(seen(row.row, row.cells)));
                cursor = Some(batch.cursor());
            }
            read.lock().unwrap().push(all);
        })
    }

    pub(crate) fn getter(&self) -> Actor {
        let ((epochs, table), read) = (self.slow(), self.read.clone());
        Box::pin(async move {
            let cells = epochs.read_row(&*table, b"a", &[]).await.unwrap();
            read.lock().unwrap().push(seen(b"a", &cells));
        })
    }

    pub(crate) fn writer(&self) -> Actor {
        let (epochs, table) = self.slow();
        Box::pin(async move {
            let put = Mutation::new(epochs.key(b"a").unwrap()).put_at(column("q"), 2, "new");
            table.write(vec![put]).await.unwrap();
        })
    }

    pub(crate) fn deleter(&self) -> Actor {
        let (epochs, table) = self.slow();
        Box::pin(async move {
            // One call for each place: the two deletes need not take effect together.
            for delete in epochs.delete_mutations(b"a", &[column("q")], Some(9)).unwrap() {
                table.write(vec![delete]).await.unwrap();
            }
        })
    }

    pub(crate) fn one_read(&self) -> Seen {
        self.read.lock().unwrap().pop().unwrap()
    }

    /// Finishes the migration, and returns all cells.
    pub(crate) fn at_the_end(&self) -> Seen {
        now(migrate(&self.epochs, &*self.table, &MigrationOptions::new()));
        assert_eq!(now(self.epochs.count(&*self.table)).unwrap().left(), 0);
        now(scan_all(&self.epochs, &self.table))
    }
}

/// Returns the result of a future on a table in memory, which is ready at once.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    futures::FutureExt::now_or_never(future).expect("tables in memory answer at once")
}

pub(crate) fn cells_of(rows: &[(&str, &[(&str, &str)])]) -> Seen {
    let cell = |row: &str, (qualifier, value): &(&str, &str)| {
        let timestamp = if *value == "new" { 2 } else { 1 };
        (row.to_owned(), (*qualifier).to_owned(), timestamp, (*value).to_owned())
    };
    rows.iter().flat_map(|(row, cells)| cells.iter().map(|of| cell(row, of))).collect()
}

pub(crate) const OLD: &[(&str, &str)] = &[("q", "old"), ("r", "old")];
pub(crate) const NEW: &[(&str, &str)] = &[("q", "new"), ("r", "old")];
pub(crate) const DELETED: &[(&str, &str)] = &[("r", "old")];
