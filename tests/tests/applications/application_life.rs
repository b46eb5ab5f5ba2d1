//! Applications and their tables are created and removed together, even if calls fail in between.

use std::sync::Arc;

use fluo_engine::{ApplicationHandle, InstanceExt, Status};
use fluo_table::coordination::{
    Application, Applications, MemoryApplications, ObservedColumn, ObserverKind,
};
use fluo_table::{
    Authorizations, Column, ErrorKind, Instance, MemoryTables, Mutation, Scan, Span, TableAdmin,
    Versions,
};
use fluo_tests::{Call, CoordinationCall, Fault, FaultyApplications, FaultyTables, Intercepted};

struct Place {
    tables: MemoryTables,
    applications: MemoryApplications,
}

impl Place {
    fn new() -> Self {
        Self { tables: MemoryTables::new(), applications: MemoryApplications::new() }
    }

    fn instance(&self) -> Instance {
        self.with(self.applications.clone())
    }

    /// Returns an instance with other applications. New applications get the id `1`.
    fn with(&self, applications: impl Applications + 'static) -> Instance {
        let tables = Arc::new(self.tables.clone());
        Instance::new(tables, Arc::new(applications)).with_ids(|| "1".to_owned())
    }

    fn web(&self) -> ApplicationHandle {
        web(&self.instance())
    }

    async fn status(&self, name: &str) -> Status {
        let instance = self.instance();
        instance.application(name).status().await.unwrap()
    }

    async fn write(&self, table: &str) {
        let none = Authorizations::none();
        let table = self.tables.open_table(table, none).await.unwrap();
        let row = Mutation::new("r").put(Column::new("f", "q"), "v");
        table.write(vec![row]).await.unwrap();
    }

    async fn cells(&self, table: &str) -> usize {
        let none = Authorizations::none();
        let table = self.tables.open_table(table, none).await.unwrap();
        table.read(Scan::over(Span::all())).await.unwrap().len()
    }
}

fn links() -> ObservedColumn {
    ObservedColumn::new(Column::new("page", "links"), ObserverKind::Strong, "count")
}

fn web(instance: &Instance) -> ApplicationHandle {
    named(instance, "web")
}

fn named(instance: &Instance, name: &str) -> ApplicationHandle {
    let application = instance.application(name).table("pages").set("a", "1");
    application.observed_columns([links()])
}

#[tokio::test]
async fn initialize_creates_a_table_for_transactions() {
    let place = Place::new();
    assert_eq!(place.status("web").await, Status::NotFound);
    place.web().initialize().await.unwrap();
    let properties = place.tables.properties("pages").await.unwrap();
    let properties: Vec<_> =
        properties.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    assert_eq!(
        properties,
        [
            "table.cache.block.enable = true",
            "table.custom.fluo.application = 1",
            "table.group.notify = ntfy",
            "table.groups.enabled = notify",
        ]
    );
    let application = place.applications.open("web").await.unwrap().application().await.unwrap();
    assert_eq!((application.id.as_str(), application.table.as_str()), ("1", "pages"));
    assert_eq!(application.observers, [links()]);
    assert_eq!(application.settings, place.web().settings());

    let running = place.applications.open("web").await.unwrap();
    let transactor = running.begin_transactor().await.unwrap();
    assert_eq!(place.status("web").await, Status::Running);
    assert_eq!(place.status("web").await.to_string(), "RUNNING");
    let refused = "the application `web` is running; stop its clients and workers first";
    let error = place.web().remove().await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unavailable, refused));
    let error = place.web().clear(true).initialize().await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unavailable, refused));
    assert_eq!(place.tables.tables().await.unwrap(), ["pages"]);
    drop(transactor);
    assert_eq!(place.status("web").await.to_string(), "STOPPED");
    place.web().remove().await.unwrap();
    assert_eq!(place.status("web").await.to_string(), "NOT_FOUND");
    assert!(place.tables.tables().await.unwrap().is_empty());
    for error in [place.web().remove().await.unwrap_err(), place.web().open().await.unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.to_string(), "application `web` does not exist; create it first");
    }
}

#[tokio::test]
async fn an_existing_table_is_kept_unless_it_may_be_cleared() {
    let place = Place::new();
    place.tables.create_table("pages", Versions::All).await.unwrap();
    place.write("pages").await;
    let error = place.web().initialize().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        error.to_string(),
        "table `pages` exists without an application; replace it, or choose another table for `web`"
    );
    assert_eq!(place.cells("pages").await, 1);
    place.web().clear(true).initialize().await.unwrap();
    assert_eq!(place.cells("pages").await, 0);

    let error = place.web().initialize().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the application `web` is already initialized; open it, or remove it first"
    );
    let other = named(&place.instance(), "other").clear(true);
    let error = other.initialize().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        error.to_string(),
        "the table `pages` belongs to the application `web`; choose another table for `other`"
    );
    place.write("pages").await;
    // Another table for the same application would leave the old table behind.
    let moved = place.web().table("other").clear(true);
    let error = moved.initialize().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(
        error.to_string(),
        "application `web` has table `pages`, not `other`; use `pages`, or remove the application first"
    );
    assert_eq!(place.cells("pages").await, 1);
    assert_eq!(place.status("web").await, Status::Stopped);
    assert_eq!(place.tables.tables().await.unwrap(), ["pages"]);

    // A deleted table leaves nothing behind. Until the application is initialized again, its
    // clients get the remedy.
    place.tables.delete_table("pages").await.unwrap();
    let error = place.web().open().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "table `pages` of application `web` does not exist; create the application again"
    );
    // Its name is not free for others.
    let error = other.initialize().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table `pages` belongs to the application `web`; choose another table for `other`"
    );
    assert!(place.tables.tables().await.unwrap().is_empty());
    moved.initialize().await.unwrap();
    assert_eq!(place.tables.tables().await.unwrap(), ["other"]);
}

/// Returns applications that yield to other tasks before each call, as a network does.
fn distant(place: &Place) -> impl Applications + use<> {
    let yields = |_: &Call| async {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        Ok(None)
    };
    Intercepted::with_hooks(Arc::new(place.applications.clone()), yields)
}

/// Regression test: each caller checked what it may clear, and then deleted what the other one had
/// created since.
#[tokio::test]
async fn one_of_two_concurrent_changes_of_an_application_succeeds() {
    let is_busy = |error: fluo_table::Error, what: &str| {
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        assert_eq!(
            error.to_string(),
            format!("another caller is creating or removing {what}; wait, then check its state")
        );
    };
    for is_there in [false, true] {
        for lead in 0..40_usize {
            let place = Place::new();
            match is_there {
                true => place.web().initialize().await.unwrap(),
                false => drop(place.tables.create_table("pages", Versions::All).await),
            }
            let distant = place.with(distant(&place));
            let first = web(&distant).clear(true);
            let first = first.initialize();
            let second = async {
                // It starts at any time during the work of the first one.
                for _ in 0..lead {
                    tokio::task::yield_now().await;
                }
                let name = ["web", "shop"][lead % 2];
                named(&distant, name).clear(true).initialize().await
            };
            let (first, second) = tokio::join!(first, second);
            match (first, second) {
                (Err(error), Ok(())) | (Ok(()), Err(error))
                    if error.kind() == ErrorKind::Unavailable =>
                {
                    let what = match lead % 2 {
                        0 => "the application `web`",
                        _ => "the table `pages`",
                    };
                    is_busy(error, what);
                }
                // One after the other: the table belongs to the application of the first one, or
                // was cleared again.
                (Ok(()), Err(error)) => assert_eq!(error.kind(), ErrorKind::AlreadyExists),
                (Ok(()), Ok(())) => assert_eq!(lead % 2, 0),
                both => panic!("after {lead}: {both:?}"),
            }
            // The caller that succeeded has a complete table.
            assert_eq!(place.tables.tables().await.unwrap(), ["pages"]);
            assert_eq!(place.tables.properties("pages").await.unwrap().len(), 4);
            assert_eq!(place.applications.list().await.unwrap().len(), 1);
        }
    }

    // One caller removes the application while another one initializes it again.
    let place = Place::new();
    place.web().initialize().await.unwrap();
    let distant = web(&place.with(distant(&place))).clear(true);
    let (cleared, removed) = tokio::join!(distant.initialize(), distant.remove());
    cleared.unwrap();
    is_busy(removed.unwrap_err(), "the application `web`");
    place.web().remove().await.unwrap();
}

/// Returns applications of which one has another table after each claim.
fn restless(place: &Place) -> impl Applications + use<> {
    let applications = place.applications.clone();
    let claim = move |call: &Call| {
        let (applications, call) = (applications.clone(), call.clone());
        async move {
            if let Call::Coordination(CoordinationCall::Claim(name, table)) = &call {
                applications.remove(name).await?;
                let next = Application::new("1", format!("{table}x"));
                applications.initialize(name, next).await?;
            }
            Ok(None)
        }
    };
    Intercepted::with_hooks(Arc::new(place.applications.clone()), claim)
}

/// Regression test: the application was claimed again as long as its table changed.
#[tokio::test]
async fn fails_if_the_table_of_an_application_changes_after_each_claim() {
    let place = Place::new();
    place.web().initialize().await.unwrap();
    let restless = web(&place.with(restless(&place)));
    let error = restless.remove().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "another process keeps creating application `web` with other tables; stop that process, then retry"
    );
    assert_eq!(place.status("web").await, Status::Stopped);
    assert_eq!(place.tables.tables().await.unwrap(), ["pages"]);
}

#[tokio::test]
async fn an_invalid_request_changes_nothing() {
    let place = Place::new();
    place.web().initialize().await.unwrap();
    place.write("pages").await;
    let without_id = place.instance().with_ids(String::new);
    for wrong in [
        named(&place.instance(), "a/b"),
        web(&without_id),
        place.web().table("a b"),
        place.web().observed_columns([links()]),
        place.web().set("", "v"),
    ] {
        let error = wrong.clear(true).initialize().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }
    assert_eq!(place.cells("pages").await, 1);
}

/// Injects every fault into every call, with and without an older application. A second call
/// succeeds as if no call had failed.
#[tokio::test]
async fn the_next_call_repairs_a_failed_one() {
    for is_there in [false, true] {
        let mut failed = 0;
        for fault in [Fault::Before, Fault::After, Fault::Lost] {
            for n in 0..40_usize {
                let place = Place::new();
                if is_there {
                    place.web().initialize().await.unwrap();
                }
                let tables = FaultyTables::new(Arc::new(place.tables.clone()));
                let applications = FaultyApplications::new(Arc::new(place.applications.clone()));
                let (tables, applications) = match n.checked_sub(20) {
                    None => (tables.fail_call(n, fault), applications),
                    Some(n) => (tables, applications.fail_call(n, fault)),
                };
                let faulty = Instance::new(Arc::new(tables), Arc::new(applications));
                let first = web(&faulty).set("b", "2").clear(true).initialize().await;
                failed += usize::from(first.is_err());
                let new = place.web().set("b", "2").clear(true);
                if first.is_err() {
                    // A recorded application has its table.
                    if place.status("web").await == Status::Stopped {
                        assert_eq!(place.tables.tables().await.unwrap(), ["pages"]);
                    }
                    new.initialize().await.unwrap();
                }
                let stored = new.stored().await.unwrap().unwrap();
                assert_eq!(stored.settings, new.settings());
                assert_eq!(place.tables.properties("pages").await.unwrap().len(), 4);

                // A removal that fails has removed the application.
                let tables = FaultyTables::new(Arc::new(place.tables.clone())).fail_call(0, fault);
                let applications = Arc::new(place.applications.clone());
                let faulty = Instance::new(Arc::new(tables), applications);
                assert!(web(&faulty).remove().await.is_err());
                assert_eq!(place.status("web").await, Status::NotFound);
                place.web().clear(true).initialize().await.unwrap();
            }
        }
        assert!(failed >= 3 * 9, "{failed}");
    }
}

#[tokio::test]
async fn tables_that_load_no_jars_keep_what_an_application_with_jars_would_clear() {
    let place = Place::new();
    place.web().initialize().await.unwrap();
    place.write("pages").await;
    let with_jars = place.web().clear(true).jars(["file:///fluo-api-1.2.0.jar"]);
    let error = with_jars.initialize().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.to_string(), "the servers of these tables load no jars; omit them");
    assert_eq!(place.cells("pages").await, 1);
    let error = place.web().jars(["fluo-api-1.2.0.jar"]).check().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fluo-api-1.2.0.jar` is not the URL of a jar; write SCHEME:/PATH without commas and blanks"
    );
}
