//! A12: the check that the servers support transactions.

use std::sync::Arc;

use fluo_table::{ErrorKind, Filter, Scan, Span, TableAdmin, Timestamp, Versions};
use futures::TryStreamExt;

use crate::conformance::ground::Ground;

/// Checks A12: after a successful check a filter of transactions works. After a failed check the
/// filter fails with the same reason, and a plain scan works.
pub async fn a12_filters_work_or_fail_with_the_reason_of_the_check(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let at = Timestamp::new(1).unwrap();
    let scan = Scan::over(Span::all()).filter(Filter::Snapshot { at });
    let scanned = ground.table.scan(scan).try_collect::<Vec<_>>().await;
    match tables.check_transactions(None).await {
        Ok(()) => {
            assert!(scanned.unwrap().is_empty());
            tables.check_transactions(Some(&ground.name)).await.unwrap();
        }
        Err(missing) => {
            assert_eq!(missing.kind(), ErrorKind::Invalid, "{missing}");
            assert_eq!(scanned.unwrap_err().to_string(), missing.to_string());
        }
    }
    assert!(ground.all().await.is_empty());
}
