//! C10 and C13: the life of applications.

use std::sync::Arc;

use fluo_table::coordination::{Application, Applications, ObservedColumn, ObserverKind};
use fluo_table::{Column, ErrorKind};
use futures::future::join_all;

use super::ground::{Ground, at, count, failed, unused_name};
use crate::unused_name::unused_name as unused_table;

const WRONG_NAMES: [&str; 6] = ["", "a/b", "a.b", "a:b", "a\u{1b}", "\u{e000}"];

/// Checks C10: an application with an invalid name is rejected and not created.
pub async fn c10_an_invalid_name_is_rejected(applications: Arc<dyn Applications>) {
    let too_long = "x".repeat(256);
    for name in WRONG_NAMES.into_iter().chain([too_long.as_str()]) {
        let application = Application::new("1", unused_table("t"));
        let error = applications.initialize(name, application).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        assert!(!applications.list().await.unwrap().iter().any(|found| found == name));
    }
}

/// Checks C10: calls with the name of an application that does not exist return `NotFound`, with
/// the command that creates one.
pub async fn c10_a_missing_application_is_not_found(applications: Arc<dyn Applications>) {
    let unused = unused_name();
    for name in WRONG_NAMES.into_iter().chain([unused.as_str()]) {
        for error in [
            applications.open(name).await.unwrap_err(),
            applications.is_running(name).await.unwrap_err(),
            applications.remove(name).await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            let missing = "` does not exist; create it first";
            assert!(error.to_string().ends_with(missing), "{error}");
        }
    }
}

/// Checks C10: an application out of bounds is not initialized.
pub async fn c10_an_invalid_application_is_not_initialized(applications: Arc<dyn Applications>) {
    let observed = |family| ObservedColumn::new(Column::new(family, "q"), ObserverKind::Weak, "o");
    let good = || Application::new("1", unused_table("t"));
    for wrong in [
        Application::new("", "t"),
        Application::new("1", "no table"),
        good().observe(observed("ntfy")),
        good().observe(observed("f")).observe(observed("f")),
        good().observe(observed("f")).observe(observed("g")),
        good().set("", "v"),
        good().set("a", "v".repeat(Application::MAX_SETTINGS_BYTES)),
    ] {
        let name = unused_name();
        let error = applications.initialize(&name, wrong).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        let error = applications.open(&name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    }
}

/// Checks C10: initializing an application that exists is rejected, and changes nothing.
pub async fn c10_initializing_twice_changes_nothing(applications: Arc<dyn Applications>) {
    let before = Application::new("1", unused_table("t")).set("a", "1");
    let ground = Ground::with(&applications, before.clone()).await;
    ground.coordination.add_dead_letter(failed("r")).await.unwrap();
    let first = ground.next().await;
    let other = Application::new("2", "u");
    let error = applications.initialize(&ground.name, other).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    let expected = format!(
        "the application `{}` is already initialized; open it, or remove it first",
        ground.name
    );
    assert_eq!(error.to_string(), expected);
    assert_eq!(ground.coordination.application().await.unwrap(), before);
    assert_eq!(ground.coordination.dead_letters().await.unwrap().len(), 1);
    assert!(ground.next().await > first);
}

/// Checks C10: if many callers initialize an application concurrently, one succeeds.
pub async fn c10_one_of_many_concurrent_initializations_succeeds(
    applications: Arc<dyn Applications>,
) {
    let name = unused_name();
    let tasks = (0..8).map(|task| {
        let (applications, name) = (applications.clone(), name.clone());
        tokio::spawn(async move {
            let application = Application::new(format!("id-{task}"), unused_table("t"));
            match applications.initialize(&name, application).await {
                Ok(()) => Some(format!("id-{task}")),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
                    None
                }
            }
        })
    });
    let winners: Vec<_> = join_all(tasks).await.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let coordination = applications.open(&name).await.unwrap();
    assert_eq!(coordination.application().await.unwrap().id, winners[0]);
    applications.remove(&name).await.unwrap();
}

/// Checks C10: if many applications with one table are initialized concurrently, one succeeds.
/// After its removal the table is available again.
pub async fn c10_a_table_has_one_application(applications: Arc<dyn Applications>) {
    let table = unused_table("t");
    let tasks = (0..8).map(|_| {
        let (applications, table) = (applications.clone(), table.clone());
        tokio::spawn(async move {
            let name = unused_name();
            let application = Application::new("1", table);
            let done = applications.initialize(&name, application).await;
            (name, done)
        })
    });
    let done = join_all(tasks).await.into_iter().map(Result::unwrap);
    let (winners, losers): (Vec<_>, Vec<_>) = done.partition(|(_, done)| done.is_ok());
    let [(winner, _)] = winners.as_slice() else {
        panic!("{winners:?}");
    };
    for (name, refused) in &losers {
        let error = refused.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        let expected = format!(
            "the table `{table}` belongs to the application `{winner}`; choose another table for `{name}`"
        );
        assert_eq!(error.to_string(), expected);
        let error = applications.open(name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
    applications.remove(winner).await.unwrap();
    let (name, _) = &losers[0];
    let application = Application::new("1", table);
    applications.initialize(name, application).await.unwrap();
    applications.remove(name).await.unwrap();
}

/// Checks C10: applications are listed by name and share no state, also if the name of one is a
/// prefix of the name of another.
pub async fn c10_applications_are_isolated(applications: Arc<dyn Applications>) {
    let first = Ground::new(&applications).await;
    let names: Vec<_> = ["", " b", "0", "-", "\u{e9}"].map(|end| first.name.clone() + end).into();
    for name in &names[1..] {
        applications.initialize(name, Application::new("2", unused_table("u"))).await.unwrap();
    }
    let mut expected = names.clone();
    expected.sort();
    let mut listed = applications.list().await.unwrap();
    assert!(listed.is_sorted());
    listed.retain(|name| names.contains(name));
    assert_eq!(listed, expected);

    first.coordination.timestamps(count(5_000)).await.unwrap();
    first.coordination.add_dead_letter(failed("r")).await.unwrap();
    let transactor = first.begin().await;
    let _worker = first.coordination.join_workers().await.unwrap();
    first.advance().await;
    for name in &names[1..] {
        let other = applications.open(name).await.unwrap();
        assert!(!applications.is_running(name).await.unwrap());
        assert_eq!(other.horizon().await.unwrap(), at(0));
        assert!(!other.is_alive(transactor.id()).await.unwrap());
        assert!(other.dead_letters().await.unwrap().is_empty());
        assert_eq!(other.timestamps(count(1)).await.unwrap().first, at(2));
        assert_eq!(other.application().await.unwrap().id, "2");
        applications.remove(name).await.unwrap();
    }
    assert_eq!(first.coordination.dead_letters().await.unwrap().len(), 1);
    assert_eq!(first.coordination.application().await.unwrap().id, "1");
}

/// Checks C13: if many callers claim an application or a table concurrently, one succeeds, until it
/// drops the claim. A claim changes nothing else.
pub async fn c13_one_of_many_concurrent_claims_succeeds(applications: Arc<dyn Applications>) {
    let (web, shop) = (unused_name(), unused_name());
    let (t1, table) = (unused_table("claimed"), unused_table("free"));
    let tasks = (0..8).map(|_| {
        let (applications, web, t1) = (applications.clone(), web.clone(), t1.clone());
        tokio::spawn(async move { applications.lock_setup(&web, &t1).await.ok() })
    });
    let held: Vec<_> = join_all(tasks).await.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(held.len(), 1, "{held:?}");
    let refused = async |name: &str, table: &str| {
        let error = applications.lock_setup(name, table).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(
            error.to_string().contains("another caller is creating or removing the"),
            "{error}"
        );
    };
    refused(&web, &table).await;
    refused(&shop, &t1).await;
    // A rejected claim holds nothing, and names of applications are independent of names of tables.
    drop(applications.lock_setup(&shop, &table).await.unwrap());
    drop(applications.lock_setup(&t1, &web).await.unwrap());
    assert!(!applications.list().await.unwrap().contains(&web));
    let application = Application::new("1", &t1);
    applications.initialize(&web, application).await.unwrap();
    assert!(!applications.is_running(&web).await.unwrap());
    applications.remove(&web).await.unwrap();
    drop(held);
    drop(applications.lock_setup(&web, &t1).await.unwrap());
}
