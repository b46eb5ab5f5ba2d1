//! The scenarios of transactions hold on the tables that evaluate the protocol themselves, each with its own coordination.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use fluo_core::MemoryTables;
use fluo_core::coordination::MemoryApplications;
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_tests::scenarios::{self, Instance};

mod memory {
    use super::{Instance, MemoryApplications, MemoryTables, scenarios};

    async fn open() -> (Instance, ()) {
        let instance = Instance::new(MemoryTables::new(), MemoryApplications::new());
        (instance, ())
    }

    scenarios::suite!(open);
}

/// The steps that are taken on a table of many servers.
mod memory_row_by_row {
    use std::sync::Arc;

    use fluo_tests::FaultyTables;

    use super::{Instance, MemoryApplications, MemoryTables, scenarios};

    async fn open() -> (Instance, ()) {
        let tables = FaultyTables::new(Arc::new(MemoryTables::new())).row_by_row();
        (Instance::new(tables, MemoryApplications::new()), ())
    }

    scenarios::suite!(open);
}

mod embedded {
    use super::{EmbeddedOptions, EmbeddedTables, Instance, scenarios};

    async fn open() -> (Instance, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let settings = EmbeddedOptions::new().create_if_missing(true);
        let tables = EmbeddedTables::open(directory.path(), settings).unwrap();
        let applications = tables.applications();
        (Instance::new(tables, applications), directory)
    }

    scenarios::suite!(open);
}

/// What ends sessions is coordination too, and keeps its contract.
mod ending {
    use std::sync::Arc;

    use fluo_core::coordination::Applications;
    use fluo_tests::conformance_coordination;
    use fluo_tests::scenarios::EndingApplications;

    use super::MemoryApplications;

    async fn open() -> (Arc<dyn Applications>, ()) {
        let memory = Arc::new(MemoryApplications::new());
        (Arc::new(EndingApplications::new(memory)), ())
    }

    conformance_coordination::suite!(open);
}

/// What a scenario says of notifications it would notice: it does not hold where the engine is broken.
mod planted {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use fluo_core::planted::{PlantedBug, plant};
    use tokio::runtime::Builder;

    use super::{Instance, MemoryApplications, MemoryTables, scenarios};

    /// Whether a scenario holds, with a planted bug or without one. Time is not waited for.
    fn holds(bug: Option<PlantedBug>, scenario: impl AsyncFnOnce(Instance)) -> bool {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        plant(bug);
        let instance = Instance::new(MemoryTables::new(), MemoryApplications::new());
        let run = || runtime.block_on(scenario(instance));
        let ended = catch_unwind(AssertUnwindSafe(run));
        plant(None);
        ended.is_ok()
    }

    #[test]
    fn an_acknowledgement_that_is_ignored_is_noticed() {
        let scenario =
            scenarios::a_notification_that_another_has_acknowledged_is_not_processed_again;
        assert!(holds(None, scenario));
        assert!(!holds(Some(PlantedBug::AcknowledgementIgnored), scenario));
    }

    #[test]
    fn a_later_notification_that_is_taken_back_is_noticed() {
        let scenario = scenarios::a_notification_set_while_the_observer_runs_survives;
        assert!(holds(None, scenario));
        let bug = PlantedBug::LaterNotificationsTakenBack;
        assert!(!holds(Some(bug), scenario));
    }
}
