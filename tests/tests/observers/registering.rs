//! A worker registers the observers with which the application was initialised.

use fluo_engine::admin::{self, Initialization};
use fluo_engine::{Observer, Observers, Worker, WorkerOptions, observer_fn};
use fluo_table::coordination::{MemoryApplications, ObservedColumn, ObserverKind};
use fluo_table::{Column, Error, ErrorKind, MemoryTables, TableAdmin};
use fluo_tests::Fixture;
use fluo_tests::scenarios::observed::column;

fn nothing() -> impl Observer {
    observer_fn(async |_, _, _| Ok::<_, Error>(()))
}

fn refused(result: Result<Observers, Error>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    error.to_string()
}

#[test]
fn refuses_columns_that_cannot_be_observed() {
    let observers = || {
        Observers::new()
            .strong(column("a"), "a", nothing())
            .unwrap()
    };
    assert_eq!(
        refused(observers().weak(column("a"), "b", nothing())),
        "f:a (weak, `b`) cannot be observed beside f:a (strong, `a`); a column has one observer, and an id is used \
         once"
    );
    assert_eq!(
        refused(observers().strong(column("b"), "a", nothing())),
        "f:b (strong, `a`) cannot be observed beside f:a (strong, `a`); a column has one observer, and an id is \
         used once"
    );
    assert_eq!(
        refused(observers().strong(column("b"), "", nothing())),
        "the observer of f:b (strong) has no id; give it an id that is unique in the application"
    );
    let secret = Column {
        visibility: "secret".into(),
        ..column("b")
    };
    assert_eq!(
        refused(observers().strong(secret, "b", nothing())),
        "f:b [secret] (strong, `b`) cannot be observed: it has a visibility, and Fluo's clients \
         delete notifications without it, so the observer would run forever; observe a column \
         without a visibility that is written together with it"
    );
    assert_eq!(
        refused(observers().strong(Column::new("ntfy", "b"), "b", nothing())),
        "ntfy:b (strong, `b`) cannot be observed: the family `ntfy` is reserved for notifications"
    );
    assert_eq!(
        refused(observers().strong(Column::new("", ""), "b", nothing())),
        ": (strong, `b`) cannot be observed: the column is empty, and no transaction can write it"
    );
}

#[test]
fn observed_columns_lists_the_registered_observers() {
    let observers = Observers::new()
        .weak(column("b"), "two", nothing())
        .unwrap()
        .strong(column("a"), "one", nothing())
        .unwrap();
    let expected = [
        ObservedColumn::new(column("a"), ObserverKind::Strong, "one"),
        ObservedColumn::new(column("b"), ObserverKind::Weak, "two"),
    ];
    assert_eq!(observers.observed_columns(), expected);
}

/// Refuses an observer without an id: any observer of the column would match it.
#[tokio::test]
async fn an_application_is_not_initialised_with_an_observer_without_id() {
    let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    let observed = |id: &str| ObservedColumn::new(column("text"), ObserverKind::Strong, id);
    let initialize = async |id: &str| {
        let initialization = Initialization::new("8d2fa41c", "web").observe(observed(id));
        admin::initialize(&tables, &applications, "web", initialization).await
    };
    let error = initialize("").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "the observer of f:text (strong) has no id; give it an id that is unique in the application"
    );
    assert_eq!(tables.tables().await.unwrap(), Vec::<String>::new());
    initialize("measure").await.unwrap();
}

#[tokio::test]
async fn a_worker_with_other_observers_does_not_start() {
    let observers = Observers::new()
        .strong(column("a"), "a", nothing())
        .unwrap();
    let fixture = Fixture::observed_in_memory(observers).await;
    let client = fixture.client().await;
    let start = async |observers| {
        let started = client
            .clone()
            .with_observers(observers)
            .start_worker(WorkerOptions::new())
            .await;
        let error = started.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.to_string()
    };
    for other in [
        Observers::new(),
        Observers::new()
            .strong(column("a"), "b", nothing())
            .unwrap(),
        Observers::new().weak(column("a"), "a", nothing()).unwrap(),
        fixture
            .observers
            .clone()
            .strong(column("b"), "b", nothing())
            .unwrap(),
    ] {
        let message = start(other).await;
        assert!(
            message.starts_with("the observers are not those of the application: "),
            "{message}"
        );
    }
    let options = WorkerOptions::new().tasks(0);
    let error = client
        .clone()
        .with_observers(fixture.observers.clone())
        .start_worker(options)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(client.application().observers.len() == 1);
}
