//! Another number of buckets: refused while programs run, and interrupted at every call.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fluo_engine::{
    ApplicationHandle, Client, ClientOptions, ErrorKind, Instance, InstanceExt, Result,
};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::stored_queue::StoredQueue;
use fluo_table::{Authorizations, Error, Scan, Span, TableAdmin};
use fluo_tests::{Call, Intercepted};
use futures::TryStreamExt;

type Words = CombineQueue<String, u64>;

fn words(buckets: u32) -> Words {
    let words = Words::new("wc", Sum).unwrap();
    words.buckets(buckets).unwrap()
}

/// An application whose queue has a number of buckets.
struct App {
    fluo: Instance,
}

impl App {
    async fn create(buckets: u32) -> Self {
        let app = Self { fluo: Instance::in_memory() };
        app.handle(buckets).create().await.unwrap();
        app
    }

    /// Returns the application as a program with a number of buckets opens it.
    fn handle(&self, buckets: u32) -> ApplicationHandle {
        self.fluo.application("app").recipe(&words(buckets))
    }

    /// Opens the application without a recipe, as an operator does, and changes the number.
    async fn rebucket(&self, buckets: u32) -> Result<u64> {
        let operator = self.fluo.application("app").open().await?;
        let coordination = self.fluo.applications().open("app").await?;
        StoredQueue::rebucket(&operator, &*coordination, "wc", buckets).await
    }

    /// Returns the stored number of buckets.
    async fn buckets(&self) -> u32 {
        let coordination = self.fluo.applications().open("app").await.unwrap();
        let settings = coordination.application().await.unwrap().settings;
        settings["recipes.cfm.wc.buckets"].parse().unwrap()
    }

    /// Stores another number of buckets, and moves nothing.
    async fn store(&self, buckets: u32) {
        let coordination = self.fluo.applications().open("app").await.unwrap();
        let mut settings = coordination.application().await.unwrap().settings;
        settings.insert("recipes.cfm.wc.buckets".to_owned(), buckets.to_string());
        coordination.update_settings(settings).await.unwrap();
    }

    /// Adds to the counts of words, and combines them.
    async fn count(&self, updates: &[(&str, u64)]) {
        let buckets = self.buckets().await;
        let client = self.handle(buckets).open().await.unwrap();
        let worker = client.worker().start().await.unwrap();
        client.run(async |tx| words(buckets).extend(&tx, updates.iter().copied())).await.unwrap();
        client.wait_until_idle().await.unwrap();
        worker.stop().await;
    }

    /// Reads all counts, sorted by word.
    async fn counts(&self) -> Vec<(String, u64)> {
        let buckets = self.buckets().await;
        let client = self.handle(buckets).open().await.unwrap();
        let snapshot = client.snapshot().await.unwrap();
        let mut all: Vec<_> = words(buckets).iter(&snapshot).try_collect().await.unwrap();
        all.sort();
        all
    }

    /// Returns the number of cells with values, also those in wrong buckets.
    async fn cells(&self) -> usize {
        let client = self.fluo.application("app").open().await.unwrap();
        let values = Scan::over(Span::prefix("wc:d:"));
        let snapshot = client.snapshot().await.unwrap();
        snapshot.scan(values).try_concat().await.unwrap().len()
    }
}

fn counted(counts: &[(&str, u64)]) -> Vec<(String, u64)> {
    let own = |(word, count): &(&str, u64)| ((*word).to_owned(), *count);
    counts.iter().map(own).collect()
}

#[tokio::test]
async fn is_refused_while_a_program_of_the_application_runs() {
    let app = App::create(7).await;
    let running = app.handle(7).open().await.unwrap();
    let worker = running.worker().start().await.unwrap();
    let add = async |count| {
        let add = running.run(async |tx| words(7).add(&tx, "dog", count));
        add.await.unwrap();
        running.wait_until_idle().await.unwrap();
    };
    add(10).await;
    let refused = app.rebucket(119).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unavailable);
    let message = "the application `app` is running; stop its clients and workers first";
    assert_eq!(refused.to_string(), message);
    add(5).await;
    worker.stop().await;
    let loader = app.rebucket(119).await.unwrap_err();
    assert_eq!(loader.to_string(), message, "a client without a worker");
    drop(running);
    assert_eq!(app.rebucket(119).await.unwrap(), 1);
    assert_eq!(app.counts().await, counted(&[("dog", 15)]));
    assert_eq!(app.rebucket(17).await.unwrap(), 1);
    assert_eq!(app.counts().await, counted(&[("dog", 15)]));
}

/// An operator who is stopped at a call: this call and all later ones fail.
async fn stopped_at(app: &App, call: usize, buckets: u32) -> Result<u64> {
    let calls = AtomicUsize::new(0);
    let check = move |_: &Call| match calls.fetch_add(1, Ordering::SeqCst) >= call {
        true => Err(Error::new(ErrorKind::Storage, "the operator was stopped")),
        false => Ok(()),
    };
    checked(app, Arc::new(check), buckets).await
}

/// A check of a call, which fails with its error.
type Check = Arc<dyn Fn(&Call) -> Result<()> + Send + Sync>;

/// An operator whose calls are checked first.
async fn checked(app: &App, check: Check, buckets: u32) -> Result<u64> {
    let hooks = move |call: &Call| ready(check(call).map(|()| None));
    let table = app.fluo.open_table("app", Authorizations::none()).await.unwrap();
    let coordination = app.fluo.applications().open("app").await.unwrap();
    let table = Arc::new(Intercepted::with_hooks(table, hooks.clone()));
    let coordination = Arc::new(Intercepted::with_hooks(coordination, hooks));
    let operator = Client::open(table, coordination.clone(), ClientOptions::new()).await?;
    StoredQueue::rebucket(&operator, &*coordination, "wc", buckets).await
}

/// After each interruption programs open the application, read the right counts and change them,
/// and another change of buckets leaves one cell for each word.
#[tokio::test]
async fn can_be_interrupted_at_every_call() {
    let mut seen = Vec::new();
    for call in 0.. {
        let app = App::create(7).await;
        app.count(&[("cat", 1), ("dog", 2), ("eel", 3)]).await;
        let result = stopped_at(&app, call, 119).await;
        let state = (app.buckets().await, app.cells().await);
        seen.push(state);
        assert_eq!(app.counts().await, counted(&[("cat", 1), ("dog", 2), ("eel", 3)]));
        app.count(&[("dog", 20), ("fox", 4)]).await;
        let expected = counted(&[("cat", 1), ("dog", 22), ("eel", 3), ("fox", 4)]);
        assert_eq!(app.counts().await, expected, "call {call}, {state:?}");
        for buckets in [119, 7, 17] {
            app.rebucket(buckets).await.unwrap();
            assert_eq!(app.counts().await, expected, "call {call}, {state:?}");
            assert_eq!(app.cells().await, 4, "call {call}, {state:?}");
        }
        if result.is_ok() {
            break;
        }
    }
    seen.dedup();
    assert_eq!(
        seen,
        [(7, 3), (7, 6), (119, 6), (119, 3)],
        "interruptions before, while and after the number is stored"
    );
}

/// Changes the number of buckets, and returns the number of spans that it scans.
async fn scanned(app: &App, buckets: u32) -> usize {
    let spans = Arc::new(AtomicUsize::new(0));
    let count = spans.clone();
    let check = move |call: &Call| {
        if let Call::Scan(scan) = call {
            count.fetch_add(scan.spans().len(), Ordering::SeqCst);
        }
        Ok(())
    };
    checked(app, Arc::new(check), buckets).await.unwrap();
    spans.load(Ordering::SeqCst)
}

/// On Accumulo each cell costs calls.
#[tokio::test]
async fn reads_each_value_once_to_copy_it_and_once_to_delete_it() {
    let app = App::create(7).await;
    let without_values = scanned(&app, 17).await;
    app.count(&[("cat", 1), ("dog", 2), ("eel", 3)]).await;
    assert_eq!(scanned(&app, 119).await, without_values + 3 + 3);
}

/// Adds a count to a word as a program with another number of buckets.
async fn add_with(app: &App, buckets: u32, word: &str, count: u64) {
    let stored = app.buckets().await;
    app.store(buckets).await;
    app.count(&[(word, count)]).await;
    app.store(stored).await;
}

/// Fluo's Java client lets programs change the number without moving the values. The next change
/// deleted such a value as if it was a copy.
#[tokio::test]
async fn a_value_of_another_number_of_buckets_is_moved() {
    let app = App::create(7).await;
    app.count(&[("cat", 1)]).await;
    add_with(&app, 119, "dog", 2).await;
    assert_eq!(app.counts().await, counted(&[("cat", 1)]));
    assert_eq!(app.rebucket(17).await.unwrap(), 2);
    assert_eq!(app.counts().await, counted(&[("cat", 1), ("dog", 2)]));
    assert_eq!(app.cells().await, 2);
}

/// Both were moved in one transaction, which cannot write a cell twice.
#[tokio::test]
async fn two_values_of_a_key_in_wrong_buckets_are_met_one_after_the_other() {
    let app = App::create(7).await;
    add_with(&app, 17, "dog", 2).await;
    add_with(&app, 119, "dog", 2).await;
    assert_eq!(app.cells().await, 2);
    app.rebucket(7).await.unwrap();
    assert_eq!(app.counts().await, counted(&[("dog", 2)]));
    assert_eq!(app.cells().await, 1);
}

/// If something else stores a number after an interruption, values in buckets of another one may
/// be no copies.
#[tokio::test]
async fn a_number_that_was_stored_after_an_interruption_loses_no_value() {
    for stored in [7, 17, 119] {
        for call in 0.. {
            let app = App::create(7).await;
            app.count(&[("cat", 1), ("dog", 2), ("eel", 3)]).await;
            let is_done = stopped_at(&app, call, 119).await.is_ok();
            app.store(stored).await;
            app.rebucket(17).await.unwrap();
            let expected = counted(&[("cat", 1), ("dog", 2), ("eel", 3)]);
            assert_eq!(app.counts().await, expected, "call {call}, {stored}");
            assert_eq!(app.cells().await, 3, "call {call}, {stored}");
            if is_done {
                break;
            }
        }
    }
}

#[tokio::test]
async fn different_values_of_a_key_in_two_buckets_are_an_error() {
    let app = App::create(7).await;
    app.count(&[("dog", 1)]).await;
    add_with(&app, 119, "dog", 2).await;
    let error = app.rebucket(17).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let message = error.to_string();
    let end = "have different values of one key; combine them in the second and delete the first";
    assert!(message.starts_with("the rows `wc:d:"), "{message}");
    assert!(message.ends_with(end), "{message}");
    assert_eq!((app.buckets().await, app.cells().await), (7, 2));
    assert_eq!(app.counts().await, counted(&[("dog", 1)]));
}
