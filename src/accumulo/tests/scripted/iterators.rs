//! Fluo's published iterators halt tablet servers of Accumulo 2.x, so transactions are refused there.

use fluo_accumulo::{AccumuloTables, IteratorBuild};
use fluo_core::admin::{Initialization, initialize};
use fluo_core::coordination::{Applications, MemoryApplications};
use fluo_core::{
    Authorizations, Client, ClientSettings, Column, Condition, Error, ErrorKind, Filter, Mutation,
    Result, Scan, Span, TableAdmin, Timestamp,
};
use futures::TryStreamExt;

use crate::fake::Fake;
use crate::servers::{NEW, OLD, PAGES, Servers};

const MAIN_BRANCH: Servers = Servers {
    has_summarizer: true,
    ..NEW
};

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
    tables.iterator_build(build).check_transactions().await
}

#[track_caller]
fn assert_refused(error: &Error, fake: &Fake) {
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        format!(
            "transactions are refused: Fluo's published iterators (fluo-accumulo 1.2.0) halt tablet servers of Accumulo 2.x, \
             and no call tells for certain that the servers have others; the servers behind {} are of Accumulo 2.x (the \
             proxy takes a shared secret, the system has properties `manager.*`, the package `core.iterators.system` is not \
             there, the package `core.spi.balancer` is there); put fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from \
             the main branch of apache/fluo, on the class path of the tablet servers, and then open the tables with \
             `IteratorBuild::ForAccumulo2`",
            fake.address()
        )
    );
}

/// An application on Accumulo 2.1 with the published jars worked for short transactions: every class loaded. Then a
/// column had more than ten versions, and the read halted a tablet server with `NoClassDefFoundError`.
#[tokio::test]
async fn an_application_on_2_is_refused_before_anything_is_done() {
    let (fake, tables) = NEW.start().await;
    let applications = MemoryApplications::new();
    let initialization = Initialization::new("8d2fa41c", "bank").clear();
    let error = initialize(&tables, &applications, "bank", initialization.clone())
        .await
        .unwrap_err();
    assert_refused(&error, &fake);
    for call in ["createTable", "deleteTable", "setTableProperty"] {
        assert_eq!(fake.count(call), 0, "{call}");
    }
    assert!(applications.list().await.unwrap().is_empty());

    let elsewhere = fluo_core::MemoryTables::new();
    initialize(&elsewhere, &applications, "bank", initialization)
        .await
        .unwrap();
    let settings = ClientSettings::default();
    let error = Client::open_application(&tables, &applications, "bank", settings)
        .await
        .unwrap_err();
    assert_refused(&error, &fake);
}

/// A client that is opened on a table directly passes no admin port.
#[tokio::test]
async fn no_scan_and_no_condition_reaches_an_iterator_that_does_not_fit() {
    let (fake, tables) = NEW.start().await;
    assert_refused(&scan(&tables, snapshot()).await.unwrap_err(), &fake);
    let pages = tables.open_table(PAGES, Authorizations::none()).await;
    let column = Column::new("f", "q");
    let condition = Condition::absent(column.clone()).through(snapshot());
    let mutation = Mutation::new("r").put(column, "v");
    let conditional = mutation.when(condition);
    let error = pages
        .unwrap()
        .write_conditional(vec![conditional])
        .await
        .unwrap_err();
    assert_refused(&error, &fake);
    assert_eq!(fake.count("createScanner"), 0);
    assert_eq!(fake.count("createConditionalWriter"), 0);
}

#[tokio::test]
async fn tables_of_2_work_without_transactions() {
    let (fake, tables) = NEW.start().await;
    assert_eq!(tables.tables().await.unwrap(), [PAGES]);
    for filter in [Filter::None, Filter::FirstOfRow] {
        scan(&tables, filter).await.unwrap();
    }
    assert_eq!(fake.count("testClassLoad"), 0);
}

#[tokio::test]
async fn each_observation_of_2_is_enough() {
    let built_for_1 = IteratorBuild::ForAccumulo1;
    for servers in [
        Servers {
            takes_secret: true,
            ..OLD
        },
        Servers {
            system_property: Some("manager.port.client"),
            ..OLD
        },
        Servers {
            has_old_package: false,
            ..OLD
        },
        Servers {
            has_new_balancers: true,
            ..OLD
        },
    ] {
        let error = check(servers, built_for_1).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    check(OLD, built_for_1).await.unwrap();
    let not_allowed = Servers {
        system_property: None,
        ..OLD
    };
    check(not_allowed, built_for_1).await.unwrap();
}

#[tokio::test]
async fn the_jars_that_fit_have_to_be_stated() {
    let refused = check(MAIN_BRANCH, IteratorBuild::ForAccumulo1).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
    let (fake, tables) = MAIN_BRANCH.start().await;
    let tables = tables.iterator_build(IteratorBuild::ForAccumulo2);
    tables.check_transactions().await.unwrap();
    scan(&tables, snapshot()).await.unwrap();
    scan(&tables, snapshot()).await.unwrap();
    assert_eq!(
        fake.count("getSystemConfiguration"),
        1,
        "the answer is kept"
    );
}

#[tokio::test]
async fn a_statement_that_the_servers_contradict_is_refused() {
    let error = check(NEW, IteratorBuild::ForAccumulo2).await.unwrap_err();
    let said = error.to_string();
    assert!(
        said.starts_with(
            "transactions are refused: the iterators on the servers are those of fluo-accumulo 1.2 or older, which halt \
             tablet servers of Accumulo 2.x (`SnapshotIterator` loads and `FluoSummarizer` does not); the servers behind "
        ),
        "{said}"
    );
    let error = check(OLD, IteratorBuild::ForAccumulo2).await.unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains(
            "are of Accumulo 1.x (the proxy takes logins, the system has properties `master.*`, the package \
             `core.iterators.system` is there); put fluo-accumulo and fluo-api 1.2.0 on"
        ),
        "{said}"
    );
}

/// The next call asks again: a proxy that was away for a moment is no reason to refuse for ever.
#[tokio::test]
async fn a_failure_to_ask_is_not_kept() {
    let (fake, tables) = OLD.start().await;
    fake.go_away().await;
    let error = tables.check_transactions().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    fake.come_back().await;
    tables.check_transactions().await.unwrap();
}
