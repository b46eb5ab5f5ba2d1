//! A worker registers the observers with which the application was initialized.

use fluo_engine::{
    InstanceExt, Observer, Observers, Recipe, Registration, Result, Status, observer_fn,
};
use fluo_table::coordination::{Application, ObservedColumn, ObserverKind};
use fluo_table::{Column, Error, ErrorKind, Instance, TableAdmin};
use fluo_tests::scenarios::observed::{column, idle, set};

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
    let observers = || Observers::new().strong(column("a"), "a", nothing()).unwrap();
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
    let secret = Column { visibility: "secret".into(), ..column("b") };
    assert_eq!(
        refused(observers().strong(secret, "b", nothing())),
        "f:b [secret] (strong, `b`) cannot be observed because it has a visibility; observe a column without one, written together with it"
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

/// Refuses an observer without an id: any observer of the column would match it.
#[tokio::test]
async fn an_application_is_not_initialized_with_an_observer_without_id() {
    let fluo = Instance::in_memory();
    let observed = |id: &str| ObservedColumn::new(column("text"), ObserverKind::Strong, id);
    let initialize = async |id: &str| {
        let web = fluo.application("web").observed_columns([observed(id)]);
        web.initialize().await
    };
    let error = initialize("").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "the observer of f:text (strong) has no id; give it an id that is unique in the application"
    );
    assert_eq!(fluo.tables().await.unwrap(), Vec::<String>::new());
    initialize("measure").await.unwrap();
}

fn stored(observed: &[ObservedColumn]) -> Application {
    let empty = Application::new("8d2fa41c", "web");
    observed.iter().cloned().fold(empty, Application::observe)
}

fn declared(observed: &[ObservedColumn]) -> Observers {
    let add = |all: Observers, one: &ObservedColumn| match one.kind {
        ObserverKind::Strong => all.strong(one.column.clone(), &one.id, nothing()),
        ObserverKind::Weak => all.weak(one.column.clone(), &one.id, nothing()),
    };
    observed.iter().try_fold(Observers::new(), add).unwrap()
}

/// Checks the message about declared observers.
#[track_caller]
fn is_refused_with(checked: Result<(), Error>, differences: &str) {
    let ends = "; declare the observers of the application, or create it again with these";
    let error = checked.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.to_string(), format!("{differences}{ends}"));
}

#[test]
fn compares_declared_observers_with_the_stored_ones() {
    let (strong, weak) = (ObserverKind::Strong, ObserverKind::Weak);
    let observed = |name: &'static str, kind, id| ObservedColumn::new(column(name), kind, id);
    let application = stored(&[observed("a", strong, "x"), observed("b", weak, "")]);
    let all = declared(&[observed("b", weak, "any"), observed("a", strong, "x")]);
    all.check_declared(&application).unwrap();
    all.check(&application).unwrap();
    let none = declared(&[]);
    none.check(&stored(&[])).unwrap();

    // A part is enough to open the application, and not for a worker.
    let part = declared(&[observed("b", weak, "y")]);
    part.check_declared(&application).unwrap();
    is_refused_with(part.check(&application), "this program has no observer for f:a (strong, `x`)");
    let more = [observed("a", strong, "x"), observed("b", weak, "any"), observed("c", weak, "z")];
    for checked in [Observers::check_declared, Observers::check] {
        is_refused_with(
            checked(&declared(&more), &application),
            "the application does not observe f:c (weak, `z`)",
        );
    }
    let of_another_kind = declared(&[observed("a", weak, "x"), observed("b", weak, "any")]);
    let unknown = "the application does not observe f:a (weak, `x`)";
    is_refused_with(of_another_kind.check_declared(&application), unknown);
    is_refused_with(
        of_another_kind.check(&application),
        &format!("this program has no observer for f:a (strong, `x`); {unknown}"),
    );
    let many: Vec<_> = (0..12)
        .map(|n| ObservedColumn::new(Column::new("f", format!("{n:02}")), weak, ""))
        .collect();
    let message = none.check(&stored(&many)).unwrap_err().to_string();
    assert!(message.contains("f:09 (weak), and 2 more; declare"), "{message}");
}

/// A program that declares an observer by its column alone does not run it.
#[tokio::test]
async fn a_worker_without_the_code_of_an_observer_does_not_start() {
    let web = Instance::in_memory().application("web");
    let ready = async |_, _| Ok::<_, Error>(());
    let links = ObservedColumn::new(column("links"), ObserverKind::Weak, "links");
    let part = web.observe(&column("text"), "text", ready);
    let without = part.clone().observed_columns([links.clone()]);
    let client = without.create().await.unwrap();
    let started = client.worker().start().await;
    let missing = "this program has no observer for f:links (weak, `links`)";
    is_refused_with(started.map(drop), missing);

    let client = part.open().await.unwrap();
    set(&client, "r", "text", 1).await;
    let started = client.worker().start().await;
    is_refused_with(started.map(drop), missing);

    let client = part.observe_with(links, nothing()).open().await.unwrap();
    let worker = client.worker().start().await.unwrap();
    idle(&client).await;
    worker.stop().await;
}

#[tokio::test]
async fn an_invalid_declaration_is_an_error_of_the_calls_that_create_or_open() {
    let text = async |_, _| Ok::<_, Error>(());
    let web = Instance::in_memory().application("web");
    let twice = web.clone().observe(&column("a"), "a", text).observe(&column("b"), "a", text);
    let message = "f:b (strong, `a`) cannot be observed beside f:a (strong, `a`); a column has one observer, and an id \
                   is used once";
    for error in [
        twice.check().unwrap_err(),
        twice.create().await.unwrap_err(),
        twice.open_or_create().await.unwrap_err(),
        twice.open().await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(web.status().await.unwrap(), Status::NotFound);
}

/// A recipe that observes the column `a`.
struct Counts;

impl Recipe for Counts {
    fn registration(&self) -> Result<Registration> {
        Ok(Registration::new("counts", "the counts").observe(column("a"), "count", nothing()))
    }
}

#[test]
fn a_handle_shows_the_observers_of_its_recipes_and_names_the_one_that_clashes() {
    let web = Instance::in_memory().application("web").recipe(&Counts);
    web.check().unwrap();
    assert!(format!("{web:?}").contains("\"count\""), "{web:?}");
    let other = ObservedColumn::new(column("a"), ObserverKind::Weak, "other");
    assert_eq!(
        web.observed_columns([other]).check().unwrap_err().to_string(),
        "f:a (weak, `other`) cannot be observed beside f:a (strong, `count`); a column has one observer, and an id is \
         used once"
    );
}
