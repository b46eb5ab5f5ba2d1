//! The scenarios of transactions hold on the tables that evaluate the protocol themselves, each
//! with its own coordination.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::MemoryTables;
use fluo_table::coordination::MemoryApplications;
use fluo_tests::scenarios::{self, Instance};

mod memory {
    use super::{Instance, MemoryApplications, MemoryTables, scenarios};

    async fn open() -> (Instance, ()) {
        let instance = Instance::new(MemoryTables::new(), MemoryApplications::new());
        (instance, ())
    }

    scenarios::suite!(open);
}

/// The steps on a table of many servers.
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
        let options = EmbeddedOptions::new().create_if_missing(true);
        let tables = EmbeddedTables::open(directory.path(), options).unwrap();
        let applications = tables.applications();
        (Instance::new(tables, applications), directory)
    }

    scenarios::suite!(open);
}

/// The coordination that ends sessions keeps the contract too.
mod ending {
    use std::sync::Arc;

    use fluo_table::coordination::Applications;
    use fluo_tests::conformance_coordination;
    use fluo_tests::scenarios::EndingApplications;

    use super::MemoryApplications;

    async fn open() -> (Arc<dyn Applications>, ()) {
        let memory = Arc::new(MemoryApplications::new());
        (Arc::new(EndingApplications::new(memory)), ())
    }

    conformance_coordination::suite!(open);
}

/// The scenarios of notifications fail if the engine breaks their guarantees.
mod planted {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use fluo_table::planted::{PlantedBug, plant};
    use tokio::runtime::Builder;

    use super::{Instance, MemoryApplications, MemoryTables, scenarios};

    /// Checks whether a scenario holds, with a planted bug or without one. The clock is paused.
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
    fn notices_an_ignored_acknowledgement() {
        let scenario =
            scenarios::a_notification_that_another_has_acknowledged_is_not_processed_again;
        assert!(holds(None, scenario));
        assert!(!holds(Some(PlantedBug::AcknowledgementIgnored), scenario));
    }

    #[test]
    fn notices_the_removal_of_a_later_notification() {
        let scenario = scenarios::a_notification_set_while_the_observer_runs_survives;
        assert!(holds(None, scenario));
        let bug = PlantedBug::LaterNotificationsTakenBack;
        assert!(!holds(Some(bug), scenario));
    }
}
