//! The scenarios of transactions hold on the tables that evaluate the protocol themselves, and through the wrappers.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

use std::sync::Arc;

use fluo_core::{MemoryTables, TableAdmin};
use fluo_embedded::{EmbeddedTables, Settings};
use fluo_tests::scenarios;

mod memory {
    use super::{Arc, MemoryTables, TableAdmin, scenarios};

    async fn open() -> (Arc<dyn TableAdmin>, ()) {
        (Arc::new(MemoryTables::new()), ())
    }

    scenarios::suite!(open);
}

mod embedded {
    use super::{Arc, EmbeddedTables, Settings, TableAdmin, scenarios};

    async fn open() -> (Arc<dyn TableAdmin>, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let settings = Settings {
            create_if_missing: true,
            ..Settings::default()
        };
        let tables = EmbeddedTables::open(directory.path(), settings).unwrap();
        (Arc::new(tables), directory)
    }

    scenarios::suite!(open);
}
