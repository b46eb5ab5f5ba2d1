//! Fluo's published iterators halt tablet servers of Accumulo 2.x, so transactions are refused
//! there.

use std::sync::Arc;

use fluo_accumulo::{AccumuloTables, IteratorBuild};
use fluo_engine::InstanceExt;
use fluo_table::coordination::{Applications, MemoryApplications};
use fluo_table::{
    Authorizations, Column, Condition, Error, ErrorKind, Filter, Instance, MemoryTables, Mutation,
    Result, Scan, Span, TableAdmin, Timestamp,
};
use futures::TryStreamExt;

use crate::fake::Fake;
use crate::servers::{NEW, OLD, PAGES, Servers};

const MAIN_BRANCH: Servers = Servers { has_summarizer: true, ..NEW };

fn snapshot() -> Filter {
    let at = Timestamp::new(7).unwrap();
    Filter::Snapshot { at }
}

async fn scan(tables: &AccumuloTables, filter: Filter) -> Result<()> {
    let pages = tables.open_table(PAGES, Authorizations::none()).await?;
    let scan = Scan::over(Span::all()).filter(filter);
    pages.scan(scan).try_collect::<Vec<_>>().await.map(drop)
}

async fn check(servers: Servers, build: IteratorBuild) -> Result<()> {
    let (_fake, tables) = servers.start().await;
    tables.iterator_build(build).check_transactions(None).await
}

#[track_caller]
fn assert_refused(error: &Error, fake: &Fake) {
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        format!(
            "transactions are refused: Fluo's published iterators (fluo-accumulo 1.2.0) halt tablet servers of Accumulo 2.x, \
             and no call can prove that the servers have other ones; the servers behind {} run Accumulo 2.x (the \
             proxy accepts a shared secret, the system has properties `manager.*`, the package `core.iterators.system` does \
             not exist, the package `core.spi.balancer` exists); put fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from \
             the main branch of apache/fluo, on the class path of the tablet servers, and then open the tables with \
             `IteratorBuild::ForAccumulo2`, or set FLUO_ITERATORS=accumulo-2",
            fake.address()
        )
    );
}

/// Covers a bug: on Accumulo 2.1 with the published jars every class loaded, and short
/// transactions worked. When a column got more than ten versions, reading it halted a tablet server
/// with `NoClassDefFoundError`.
#[tokio::test]
async fn refuses_an_application_on_2_without_any_change() {
    let (fake, tables) = NEW.start().await;
    let applications = MemoryApplications::new();
    let bank = |tables: Arc<dyn TableAdmin>| {
        Instance::new(tables, Arc::new(applications.clone())).application("bank")
    };
    let tables = Arc::new(tables);
    let refused = bank(tables.clone()).clear(true).initialize().await;
    let error = refused.unwrap_err();
    assert_refused(&error, &fake);
    for call in ["createTable", "deleteTable", "setTableProperty"] {
        assert_eq!(fake.count(call), 0, "{call}");
    }
    assert!(applications.list().await.unwrap().is_empty());

    let elsewhere = bank(Arc::new(MemoryTables::new()));
    elsewhere.initialize().await.unwrap();
    assert_refused(&bank(tables).open().await.unwrap_err(), &fake);
}

/// A client that is opened directly on a table uses no admin port.
#[tokio::test]
async fn refuses_scans_and_conditions_that_need_iterators_of_another_build() {
    let (fake, tables) = NEW.start().await;
    assert_refused(&scan(&tables, snapshot()).await.unwrap_err(), &fake);
    let pages = tables.open_table(PAGES, Authorizations::none()).await;
    let column = Column::new("f", "q");
    let condition = Condition::absent(column.clone()).through(snapshot());
    let mutation = Mutation::new("r").put(column, "v");
    let conditional = mutation.when(condition);
    let error = pages.unwrap().write_conditional(vec![conditional]).await.unwrap_err();
    assert_refused(&error, &fake);
    assert_eq!(fake.count("createScanner"), 0);
    assert_eq!(fake.count("createConditionalWriter"), 0);
}

#[tokio::test]
async fn tables_on_2_work_without_transactions() {
    let (fake, tables) = NEW.start().await;
    assert_eq!(tables.tables().await.unwrap(), [PAGES]);
    for filter in [Filter::None, Filter::FirstOfRow] {
        scan(&tables, filter).await.unwrap();
    }
    assert_eq!(fake.count("testClassLoad"), 0);
}

#[tokio::test]
async fn one_observation_of_2_is_enough() {
    let built_for_1 = IteratorBuild::ForAccumulo1;
    for servers in [
        Servers { takes_secret: true, ..OLD },
        Servers { system_property: Some("manager.port.client"), ..OLD },
        Servers { has_old_package: false, ..OLD },
        Servers { has_new_balancers: true, ..OLD },
    ] {
        let error = check(servers, built_for_1).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    check(OLD, built_for_1).await.unwrap();
    let not_allowed = Servers { system_property: None, ..OLD };
    check(not_allowed, built_for_1).await.unwrap();
}

#[tokio::test]
async fn accepts_servers_of_2_only_if_the_client_states_their_jars() {
    let refused = check(MAIN_BRANCH, IteratorBuild::ForAccumulo1).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
    let (fake, tables) = MAIN_BRANCH.start().await;
    let tables = tables.iterator_build(IteratorBuild::ForAccumulo2);
    tables.check_transactions(None).await.unwrap();
    scan(&tables, snapshot()).await.unwrap();
    scan(&tables, snapshot()).await.unwrap();
    assert_eq!(fake.count("getSystemConfiguration"), 1, "the result is cached");
}

#[tokio::test]
async fn refuses_a_statement_that_the_servers_contradict() {
    let error = check(NEW, IteratorBuild::ForAccumulo2).await.unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with(
            "transactions are refused: the iterators on the servers are those of fluo-accumulo 1.2 or older, which halt \
             tablet servers of Accumulo 2.x (`SnapshotIterator` loads and `FluoSummarizer` does not); the servers behind "
        ),
        "{message}"
    );
    let error = check(OLD, IteratorBuild::ForAccumulo2).await.unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains(
            "run Accumulo 1.x (the proxy accepts logins, the system has properties `master.*`, the package \
             `core.iterators.system` exists); put fluo-accumulo and fluo-api 1.2.0 on"
        ),
        "{message}"
    );
}

/// The next call asks again: the proxy may have been unreachable for only a moment.
#[tokio::test]
async fn does_not_cache_a_failed_check() {
    let (fake, tables) = OLD.start().await;
    fake.go_away().await;
    let error = tables.check_transactions(None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    fake.come_back().await;
    tables.check_transactions(None).await.unwrap();
}
