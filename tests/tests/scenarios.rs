//! The scenarios of transactions hold on the tables that evaluate the protocol themselves, each
//! with its own coordination.

#![cfg(test)]

use fluo_table::Instance;
use fluo_table::coordination::MemoryApplications;
use fluo_tests::scenarios;

mod memory {
    use super::{Instance, scenarios};

    async fn open() -> (Instance, ()) {
        (Instance::in_memory(), ())
    }

    scenarios::suite!(open);
}

/// The steps on a table of many servers.
mod memory_row_by_row {
    use std::sync::Arc;

    use fluo_table::MemoryTables;
    use fluo_tests::FaultyTables;

    use super::{Instance, MemoryApplications, scenarios};

    async fn open() -> (Instance, ()) {
        let tables = FaultyTables::new(Arc::new(MemoryTables::new())).row_by_row();
        let applications = Arc::new(MemoryApplications::new());
        (Instance::new(Arc::new(tables), applications), ())
    }

    scenarios::suite!(open);
}

mod embedded {
    use super::{Instance, scenarios};

    async fn open() -> (Instance, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        (fluo_embedded::open(directory.path()).unwrap(), directory)
    }

    scenarios::suite!(open);
}

/// The coordination that ends sessions keeps the contract too.
mod ending {
    use std::sync::Arc;

    use fluo_table::coordination::Applications;
    use fluo_tests::{EndingApplications, conformance_coordination};

    use super::MemoryApplications;

    async fn open() -> (Arc<dyn Applications>, ()) {
        let memory = Arc::new(MemoryApplications::new());
        (Arc::new(EndingApplications::new(memory)), ())
    }

    conformance_coordination::suite!(open);
}
