//! Applications are created, opened and removed through an instance.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fluo_engine::{ClientOptions, InstanceExt, Observers, Transaction, observer_fn};
use fluo_table::{Column, Error, ErrorKind, Instance, TableAdmin, Versions};
use fluo_tests::{Call, CoordinationCall, Intercepted};

fn observers(id: &str) -> Observers {
    let observer = observer_fn(async |tx: Transaction, row, column| tx.delete(row, &column));
    let links = Column::new("page", "links");
    Observers::new().strong(links, id, observer).unwrap()
}

fn refusal(error: &Error) -> (ErrorKind, String) {
    (error.kind(), error.to_string())
}

/// Returns an instance in memory in which another caller acts before the first claim.
fn overtaken() -> Instance {
    let memory = Instance::in_memory();
    let rival = Mutex::new(Some(memory.clone()));
    let act = move |call: &Call| {
        let rival = match call {
            Call::Coordination(CoordinationCall::Claim(name, _)) => rival
                .lock()
                .unwrap()
                .take()
                .map(|rival| rival.with_ids(|| "rival".to_owned()).application(name)),
            _ => None,
        };
        async move {
            if let Some(application) = rival {
                application.initialize().await?;
            }
            Ok(None)
        }
    };
    let applications = Intercepted::with_hooks(memory.applications().clone(), act);
    Instance::new(memory.table_admin().clone(), Arc::new(applications))
}

#[tokio::test(start_paused = true)]
async fn the_loser_of_a_race_opens_the_application_of_the_winner() {
    let web = overtaken().application("web");
    let client = web.open_or_create().await.unwrap();
    assert_eq!(client.application().id, "rival");
}

#[tokio::test]
async fn create_fails_if_another_caller_creates_the_application_first() {
    let web = overtaken().application("web");
    let error = web.create().await.unwrap_err();
    assert_eq!(
        refusal(&error),
        (
            ErrorKind::AlreadyExists,
            "the application `web` is already initialized; open it, or remove it first".to_owned()
        )
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_of_many_concurrent_callers_open_one_application() {
    let fluo = Instance::in_memory();
    let callers = (0..50).map(|_| {
        let web = fluo.application("web");
        tokio::spawn(async move { web.open_or_create().await })
    });
    let callers: Vec<_> = callers.collect();
    let mut clients = Vec::new();
    for caller in callers {
        clients.push(caller.await.unwrap().unwrap());
    }
    let id = &clients.first().unwrap().application().id;
    assert!(clients.iter().all(|client| client.application().id == *id));
    assert_eq!(fluo.applications().list().await.unwrap(), ["web"]);
}

#[tokio::test(start_paused = true)]
async fn open_or_create_waits_while_another_caller_holds_the_claim() {
    let fluo = Instance::in_memory();
    let claim = fluo.applications().lock_setup("web", "web").await.unwrap();
    let web = fluo.application("web");
    let waiting = tokio::spawn(async move { web.open_or_create().await });
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(!waiting.is_finished());
    drop(claim);
    assert!(waiting.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn open_or_create_returns_the_error_after_the_time_of_its_settings() {
    let fluo = Instance::in_memory();
    let _claim = fluo.applications().lock_setup("web", "web").await.unwrap();
    let options = ClientOptions::new().max_elapsed(Duration::from_secs(2));
    let begun = tokio::time::Instant::now();
    let web = fluo.application("web").options(options);
    let error = web.open_or_create().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!((2..5).contains(&begun.elapsed().as_secs()));
}

#[tokio::test]
async fn open_or_create_does_not_replace_a_table_without_an_application() {
    let fluo = Instance::in_memory();
    fluo.create_table("web", Versions::All).await.unwrap();
    let web = fluo.application("web");
    let error = web.open_or_create().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(web.clear(true).create().await.is_ok());
}

#[tokio::test]
async fn ids_come_from_the_generator_of_the_instance() {
    let count = AtomicU32::new(0);
    let next = move || format!("id-{}", count.fetch_add(1, Ordering::Relaxed));
    let fluo = Instance::in_memory().with_ids(next);
    for (name, id) in [("web", "id-0"), ("bank", "id-1")] {
        let client = fluo.application(name).create().await.unwrap();
        assert_eq!(client.application().id, id);
    }
    // Opening draws no id.
    let client = fluo.application("web").open_or_create().await.unwrap();
    assert_eq!(client.application().id, "id-0");
    assert_eq!(
        (fluo.application("shop").create().await.unwrap().application().id).as_str(),
        "id-2"
    );
}

#[tokio::test]
async fn ids_are_random_uuids_by_default() {
    let fluo = Instance::in_memory();
    let id = async |name: &str| {
        let client = fluo.application(name).create().await.unwrap();
        client.application().id.clone()
    };
    let (web, bank) = (id("web").await, id("bank").await);
    assert_ne!(web, bank);
    assert_eq!((web.len(), web.chars().nth(14)), (36, Some('4')));
}

#[tokio::test]
async fn the_options_become_the_configuration_of_a_new_application() {
    let fluo = Instance::in_memory();
    let web = fluo.application("web").observers(&observers("count"));
    let client = web.table("pages").set("a", "1").create().await.unwrap();
    let stored = client.application();
    assert_eq!(stored.table, "pages");
    assert_eq!(stored.observers, observers("count").observed_columns());
    assert_eq!(stored.settings, [("a".to_owned(), "1".to_owned())].into());

    // An operator may have changed the settings of an application that exists.
    let web = fluo.application("web").set("a", "2");
    let client = web.open_or_create().await.unwrap();
    assert_eq!(client.application().settings["a"], "1");
}

#[tokio::test]
async fn refuses_an_application_with_another_table() {
    let fluo = Instance::in_memory();
    drop(fluo.application("web").table("pages").create().await.unwrap());
    let refused = (
        ErrorKind::Invalid,
        "the application `web` has the table `pages`, not `web`; open it with that table, or without naming one"
            .to_owned(),
    );
    let web = fluo.application("web").table("web");
    assert_eq!(refusal(&web.open().await.unwrap_err()), refused);
    assert_eq!(refusal(&web.open_or_create().await.unwrap_err()), refused);
    assert_eq!(fluo.tables().await.unwrap(), ["pages"]);
    assert!(fluo.application("web").open().await.is_ok());
}

#[tokio::test]
async fn refuses_to_clear_and_to_keep_an_application() {
    let web = Instance::in_memory().application("web").clear(true);
    let error = web.open_or_create().await.unwrap_err();
    assert_eq!(
        refusal(&error),
        (
            ErrorKind::Invalid,
            "`clear` deletes the application `web`, and `open_or_create` keeps it; call `create` to replace `web`, or \
             `open_or_create` without `clear`"
                .to_owned()
        )
    );
    assert_eq!(web.open().await.unwrap_err().kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn checks_all_options_before_it_creates_anything() {
    let fluo = Instance::in_memory();
    let wrong = ClientOptions::new().max_elapsed(Duration::ZERO);
    for wrong in [
        fluo.application("a/b"),
        fluo.application("web").table("a b"),
        fluo.application("web").set("", "1"),
        fluo.application("web").options(wrong),
    ] {
        assert_eq!(wrong.check().unwrap_err().kind(), ErrorKind::Invalid);
        let error = wrong.open_or_create().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        let error = wrong.create().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    assert!(fluo.tables().await.unwrap().is_empty());
    assert!(fluo.applications().list().await.unwrap().is_empty());
}
