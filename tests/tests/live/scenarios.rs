//! The scenarios of transactions hold on a real Accumulo, whose servers evaluate the protocol with
//! Fluo's iterators. Each scenario has its own embedded coordination in a directory.

use std::sync::Arc;

use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::Instance;
use fluo_tests::scenarios;
use tempfile::TempDir;

use crate::cluster::tables;

async fn open() -> Option<(Instance, TempDir)> {
    let tables = tables().await?;
    let directory = tempfile::tempdir().unwrap();
    let settings = EmbeddedOptions::new().create_if_missing(true);
    let embedded = EmbeddedTables::open(directory.path(), settings).unwrap();
    Some((Instance::new(Arc::new(tables), Arc::new(embedded.applications())), directory))
}

scenarios::suite!(open);
