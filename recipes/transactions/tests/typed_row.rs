#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]
//! Rows as structures: which cells they read and write, and what they refuse.

use fluo_engine::{
    Bytes, Client, ClientOptions, Column, Error, ErrorKind, Instance, InstanceExt, Transaction,
};
use fluo_recipes::codec::{Json, Ordered};
use fluo_recipes::{TypedColumn, TypedRow, typed_row};
use fluo_table::{Authorizations, TableAdmin};
use futures::TryStreamExt;

const OWNER: TypedColumn<String> = TypedColumn::new("account", "owner");
const BALANCE: TypedColumn<i64, Ordered> = TypedColumn::with_codec("account", "balance", Ordered);
const TAGS: TypedColumn<Vec<String>, Json> = TypedColumn::with_codec("account", "tags", Json);

typed_row! {
    #[derive(Clone, Debug, PartialEq)]
    struct Account {
        owner: String = OWNER,
        balance: i64 = BALANCE,
        tags: Option<Vec<String>> = TAGS,
    }
}

typed_row! {
    struct Doubled {
        owner: String = OWNER,
        other: Option<String> = OWNER,
    }
}

/// Opens a client that sees the cells of the staff.
async fn client() -> Client {
    let bank = Instance::in_memory();
    bank.application("bank").create().await.unwrap();
    let staff = Authorizations::from_iter(["staff"]);
    let table = bank.open_table("bank", staff).await.unwrap();
    let coordination = bank.applications().open("bank").await.unwrap();
    let client = Client::open(table, coordination, ClientOptions::new()).await;
    client.unwrap()
}

fn account(owner: &str, balance: i64) -> Account {
    Account { owner: owner.to_owned(), balance, tags: None }
}

async fn read(client: &Client, row: &'static str) -> Result<Option<Account>, Error> {
    Account::get(&client.snapshot().await?, row).await
}

#[tokio::test]
async fn a_field_is_the_cell_of_its_column() {
    let client = client().await;
    let tagged = Account { tags: Some(vec!["old".to_owned()]), ..account("Alice", -7) };
    client.run(async |tx| tagged.set(&tx, "a")).await.unwrap();
    let cells = client.snapshot().await.unwrap().row("a").await.unwrap();
    let cells: Vec<(String, Bytes)> =
        cells.into_iter().map(|(column, value)| (column.to_string(), value)).collect();
    // `Ordered` flips the sign bit.
    let balance = (-7_i64 ^ i64::MIN).to_be_bytes();
    let wanted: [(&str, &[u8]); 3] = [
        ("account:balance", &balance),
        ("account:owner", b"Alice"),
        ("account:tags", br#"["old"]"#),
    ];
    let wanted = wanted.map(|(name, value)| (name.to_owned(), Bytes::copy_from_slice(value)));
    assert_eq!(cells, wanted);
    assert_eq!(BALANCE.column(), Column::new("account", "balance"));
    assert_eq!(read(&client, "a").await.unwrap(), Some(tagged));
}

#[tokio::test]
async fn none_deletes_a_cell_and_other_cells_stay() {
    let client = client().await;
    let other = Column::new("note", "text");
    let tagged = Account { tags: Some(vec![]), ..account("Alice", 1) };
    client
        .run(async |tx| {
            tx.set("a", &other, "kept")?;
            tagged.set(&tx, "a")
        })
        .await
        .unwrap();
    let plain = account("Alice", 2);
    client.run(async |tx| plain.set(&tx, "a")).await.unwrap();
    let columns = async || {
        let now = client.snapshot().await.unwrap();
        let cells = now.row("a").await.unwrap().into_keys();
        cells.map(|column| column.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(columns().await, ["account:balance", "account:owner", "note:text"]);
    client.run(async |tx| Account::delete(&tx, "a")).await.unwrap();
    assert_eq!(columns().await, ["note:text"]);
    assert_eq!(read(&client, "a").await.unwrap(), None, "no field has a cell");
}

#[tokio::test]
async fn an_absent_or_damaged_cell_is_an_error_that_names_it() {
    let client = client().await;
    let write = async |column: Column, value: &'static str| {
        let write = async |tx: Transaction| tx.set("a", &column, value);
        client.run(write).await.unwrap();
    };
    write(OWNER.column(), "Alice").await;
    let error = read(&client, "a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert_eq!(
        error.to_string(),
        "`a account:balance` is absent, although the row exists; make its field an `Option` if the \
         cell may be absent"
    );
    write(BALANCE.column(), "much").await;
    let error = read(&client, "a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let named = error.to_string();
    assert!(named.contains("`a account:balance`") && named.contains("`much`"), "{named}");
    let now = client.snapshot().await.unwrap();
    let all: Result<Vec<_>, _> = Account::scan_prefix(&now, "").try_collect().await;
    assert_eq!(all.unwrap_err().to_string(), named);
}

#[tokio::test]
async fn scans_rows_in_their_order_and_skips_rows_without_a_field() {
    let client = client().await;
    let many: Vec<_> = (0..3_000).map(|number| account("Bob", number)).collect();
    client
        .run(async |tx| {
            for (number, account) in many.iter().enumerate() {
                account.set(&tx, format!("b{number:04}"))?;
            }
            account("Alice", 1).set(&tx, "a")?;
            let hidden = OWNER.column().with_visibility("staff");
            tx.set("b0000x", &hidden, "someone")?;
            tx.set("b0001x", &Column::new("note", "text"), "no account")
        })
        .await
        .unwrap();
    let now = client.snapshot().await.unwrap();
    let found: Vec<(Bytes, Account)> = Account::scan_prefix(&now, "b").try_collect().await.unwrap();
    assert_eq!(found.len(), many.len());
    for ((number, wanted), (row, found)) in many.iter().enumerate().zip(&found) {
        assert_eq!(row, format!("b{number:04}").as_bytes());
        assert_eq!(found, wanted);
    }
}

#[tokio::test]
async fn refuses_two_fields_of_one_column() {
    let client = client().await;
    let doubled = Doubled { owner: "Alice".to_owned(), other: None };
    let set = client.run(async |tx| doubled.set(&tx, "a")).await;
    let now = client.snapshot().await.unwrap();
    let get = Doubled::get(&now, "a").await.map(|_| ());
    let scan: Result<Vec<_>, _> = Doubled::scan_prefix(&now, "").try_collect().await;
    for refused in [set, get, scan.map(|_| ())] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "two fields of `typed_row::Doubled` have the column `account:owner`; give each field a \
             column of its own"
        );
    }
}
