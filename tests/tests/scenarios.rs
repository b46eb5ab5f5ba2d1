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
