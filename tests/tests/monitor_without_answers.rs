//! A monitor of applications of which some do not answer.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fluo_engine::{Instance, InstanceExt};
use fluo_process::monitor::{Monitor, MonitorOptions};
use fluo_table::coordination::MemoryApplications;
use fluo_table::{MemoryTables, Result};
use fluo_tests::{Call, CoordinationCall, Fault, Hooks, Intercepted};
use tokio::time::Instant;

/// One less than a monitor reads at the same time.
const HANGING: usize = 7;

/// Hooks of applications: those whose names begin with `hung` do not say who is present.
struct Silent {
    is_silent: bool,
}

#[async_trait]
impl Hooks for Silent {
    async fn before(&self, call: &Call) -> Result<Option<Fault>> {
        if self.is_silent && matches!(call, Call::Coordination(CoordinationCall::Other("presence")))
        {
            pending::<()>().await;
        }
        Ok(None)
    }

    fn of_application(self: Arc<Self>, name: &str) -> Arc<Self> {
        Arc::new(Self { is_silent: name.starts_with("hung") })
    }
}

/// Covers a bug: the parts of a reading were read one after the other, each for up to 30 s.
#[tokio::test(start_paused = true)]
async fn reads_the_others_beside_applications_that_hang() {
    let (tables, applications) = (MemoryTables::new(), MemoryApplications::new());
    let applications = Intercepted::with_hooks(Arc::new(applications), Silent { is_silent: false });
    let fluo = Instance::new(Arc::new(tables), Arc::new(applications));
    let hung = (0..HANGING).map(|number| format!("hung{number}"));
    let names: Vec<_> = hung.chain((0..HANGING).map(|number| format!("web{number}"))).collect();
    for name in &names {
        fluo.application(name).initialize().await.unwrap();
    }
    let options = MonitorOptions::new("memory").limit(Duration::from_secs(3));
    let mut monitor = Monitor::new(fluo, options);
    for _ in 0..2 {
        let begun = Instant::now();
        let figures = monitor.read().await;
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        let errors = names.iter().take(HANGING);
        let errors = errors.map(|name| format!("application `{name}`: no answer within 3 s"));
        assert_eq!(figures.errors, errors.collect::<Vec<_>>());
        let found = figures.applications.iter().map(|found| &found.name);
        assert_eq!(found.collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
        let read = figures.applications.iter().filter(|found| found.notifications.is_some());
        assert_eq!(read.count(), HANGING);
        // The tables of all of them answer.
        let found = figures.tables.iter().map(|found| &found.name);
        assert_eq!(found.collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
    }
}
