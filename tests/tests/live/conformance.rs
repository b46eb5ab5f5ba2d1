//! The tables of a real Accumulo pass the same conformance suite as every other table, rule by
//! rule.

use std::sync::Arc;

use fluo_table::TableAdmin;
use fluo_tests::conformance;

use crate::cluster::tables;

async fn open() -> Option<(Arc<dyn TableAdmin>, ())> {
    Some((Arc::new(tables().await?), ()))
}

conformance::suite!(open);
