//! T5 and T7 across restarts of a process, for tables that can be closed and opened again.

use std::sync::Arc;

use fluo_table::{Authorizations, Condition, Mutation, Scan, Span, TableAdmin, Versions};

use super::ground::{CUSTOM, column, read, unused_name};

/// Checks T5: acknowledged writes exist after the tables are opened again, and deleted tables do
/// not.
///
/// `open` opens the same tables each time, after the tables that it opened before are dropped.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn t5_acknowledged_writes_survive_reopening(open: impl AsyncFn() -> Arc<dyn TableAdmin>) {
    let (name, deleted) = (unused_name(), unused_name());
    let mut expected = Vec::new();
    for life in 0..4_i64 {
        let tables = open().await;
        if life == 0 {
            tables.create_table(&deleted, Versions::default()).await.unwrap();
            tables.create_table(&name, Versions::All).await.unwrap();
            tables.add_splits(&name, &["m".into()].into()).await.unwrap();
            tables.set_property(&name, CUSTOM, "kept").await.unwrap();
            tables.delete_table(&deleted).await.unwrap();
        }
        assert!(!tables.tables().await.unwrap().contains(&deleted));
        assert_eq!(tables.splits(&name).await.unwrap(), ["m"]);
        let properties = tables.properties(&name).await.unwrap();
        assert_eq!(properties.get(CUSTOM).map(String::as_str), Some("kept"));
        assert_eq!(Versions::for_scan(&properties), Versions::All);

        let held = Authorizations::from_iter(["A"]);
        let table = tables.open_table(&name, held).await.unwrap();
        assert_eq!(read(&*table, Scan::over(Span::all())).await, expected, "life {life}");
        let row = Mutation::new(format!("row {life}"))
            .put_at(column("q"), life, "v")
            .put_at(column("q").with_visibility("A"), i64::MIN, "")
            .put_at(column("gone"), 1, "v");
        let gone = Mutation::new(format!("row {life}")).delete_at(column("gone"), 1);
        table.write(vec![row, gone]).await.unwrap();
        let counted = Mutation::new("lives").put_at(column("q"), life, format!("{life}"));
        let counted = counted.when(Condition::absent(column("q")).at(life));
        let outcomes = table.write_conditional(vec![counted]).await.unwrap();
        assert!(outcomes[0].is_accepted(), "{outcomes:?}");
        expected = table.read(Scan::over(Span::all())).await.unwrap();
        let lives = usize::try_from(life).unwrap() + 1;
        assert_eq!(expected.len(), 3 * lives);
    }
    open().await.delete_table(&name).await.unwrap();
}

/// Checks T7: the time of a table does not go back when the table is opened again with an earlier
/// clock.
///
/// `open` opens the same tables each time, with a clock that shows the given milliseconds, after
/// the tables that it opened before are dropped.
///
/// # Panics
///
/// If the rule does not hold.
pub async fn t7_the_time_of_the_table_survives_reopening(
    open: impl AsyncFn(i64) -> Arc<dyn TableAdmin>,
) {
    let name = unused_name();
    let tables = open(5_000).await;
    tables.create_table(&name, Versions::default()).await.unwrap();
    drop(tables);
    for (clock, expected) in [(5_000, 5_000), (4_000, 5_001), (-1, 5_002), (5_003, 5_003)] {
        let tables = open(clock).await;
        let table = tables.open_table(&name, Authorizations::none()).await.unwrap();
        let put = Mutation::new("r").put(column("q"), format!("{clock}"));
        table.write(vec![put]).await.unwrap();
        let shown = read(&*table, Scan::over(Span::all())).await;
        assert_eq!(shown[0].key.timestamp, expected, "with the clock at {clock}");
        assert_eq!(shown[0].value, format!("{clock}"));
    }
    open(0).await.delete_table(&name).await.unwrap();
}
