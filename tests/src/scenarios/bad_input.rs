//! Rejected calls, which change nothing.

use fluo_engine::CommitError;
use fluo_table::{Column, ErrorKind, Filter, Instance, Scan, Span};
use futures::TryStreamExt;

use super::accounts::{balance, balances, hasty, set};
use crate::Fixture;

pub async fn an_invalid_cell_is_rejected_and_the_rest_commits(instance: Instance) {
    let fixture = Fixture::new(&instance).await;
    let options = hasty().max_transaction_bytes(1_000);
    let client = fixture.client_of(fixture.table.clone(), options).await;
    let tx = client.begin().await.unwrap();
    tx.set("alice", &balance(), "1").unwrap();
    tx.delete("bob", &balance()).unwrap();
    let refused = |result: fluo_table::Result<()>| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(tx.set("", &balance(), "1")),
        "the row is empty (column `account:balance`); a transaction needs a row of at least one byte"
    );
    assert_eq!(
        refused(tx.set("r", &Column::default(), "1")),
        "the column is empty (row `r`); a column needs a family or a qualifier"
    );
    assert_eq!(
        refused(tx.delete("r", &Column::new("ntfy", "q"))),
        "`r ntfy:q`: the column family `ntfy` is reserved for notifications; use another one"
    );
    assert_eq!(
        refused(tx.set("r", &balance().with_visibility("A&"), "1")),
        "row `r`, column `account:balance [A&]`: visibility expression: at byte 2: the expression ends where a label is \
         expected"
    );
    for again in [tx.set("alice", &balance(), "2"), tx.delete("alice", &balance())] {
        assert_eq!(
            refused(again),
            "`alice account:balance` was set or deleted before in this transaction; a transaction writes a cell once"
        );
    }
    assert!(
        refused(tx.set("bob", &balance(), "2"))
            .starts_with("`bob account:balance` was set or deleted")
    );
    let long = refused(tx.set("carol", &balance(), vec![0; 2_000]));
    assert_eq!(
        long,
        "with `carol` the transaction would set 2,056 bytes; the option `max_transaction_bytes` allows 1,000"
    );
    assert_eq!(
        refused(tx.notify("alice", &balance())),
        "no weak observer watches the column `account:balance`; the application has no weak observers"
    );
    assert_eq!(
        refused(tx.with_read_lock().get("alice", &balance()).await.map(drop)),
        "`alice account:balance` was set or deleted before in this transaction; it cannot be read under a lock any more"
    );
    assert_eq!(
        refused(tx.get("", &balance()).await.map(drop)),
        "the row is empty (column `account:balance`); a transaction needs a row of at least one byte"
    );
    let filtered = tx.scan(Scan::over(Span::all()).filter(Filter::FirstOfRow));
    assert_eq!(
        refused(filtered.try_concat().await.map(drop)),
        "a scan of a snapshot cannot have a filter; remove the filter"
    );
    tx.commit().await.unwrap();
    assert_eq!(balances(&client, ["alice", "carol"]).await.unwrap(), [1, 0]);
}

pub async fn an_ended_transaction_writes_nothing(instance: Instance) {
    let (fixture, client) = Fixture::new(&instance).await.with_client().await;
    let kept = client
        .run(async |tx| {
            tx.set("alice", &balance(), "1")?;
            Ok::<_, fluo_table::Error>(tx)
        })
        .await
        .unwrap();
    let error = kept.set("bob", &balance(), "1").unwrap_err();
    let start = kept.start();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(error.to_string(), format!("transaction {start} has ended; begin a new one"));
    // The snapshot of the transaction can still be read, also after its client was dropped.
    set(&client, &[("alice", 2)]).await;
    drop(client);
    assert_eq!(super::accounts::read(&kept, "alice").await, 0);
    drop(kept);

    // A dropped transaction, and one whose body failed, write nothing.
    let client = fixture.client().await;
    let dropped = client.begin().await.unwrap();
    dropped.set("bob", &balance(), "1").unwrap();
    drop(dropped);
    let failed = client
        .run(async |tx| {
            tx.set("bob", &balance(), "1")?;
            Err::<(), _>(CommitError::Acknowledged)
        })
        .await;
    assert!(matches!(failed, Err(CommitError::Acknowledged)));
    assert_eq!(balances(&client, ["alice", "bob"]).await.unwrap(), [2, 0]);
}
