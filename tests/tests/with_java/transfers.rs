//! Transactions of both sides on the same rows.

use std::thread;

use fluo_engine::{Client, Transaction};
use fluo_table::Column;
use futures::future::try_join_all;

use crate::ground::{Together, ask, read};

const ACCOUNTS: u32 = 10;
const BALANCE: u32 = 100;
const TRANSFERS: u32 = 60;

fn balance() -> Column {
    Column::new("bank", "balance")
}

fn account(number: u32) -> String {
    format!("account:{number:03}")
}

async fn number(tx: &Transaction, row: &str, column: &Column) -> fluo_engine::Result<u32> {
    let value = tx.get(row.to_owned(), column).await?;
    Ok(value.map_or(0, |value| String::from_utf8(value.to_vec()).unwrap().parse().unwrap()))
}

async fn transfer(client: &Client, seed: u32) -> fluo_engine::Result<()> {
    for round in 0..TRANSFERS / 2 {
        // Each pair of different accounts comes up.
        let from = (seed + round * 7) % ACCOUNTS;
        let to = (from + 1 + (seed * 3 + round) % (ACCOUNTS - 1)) % ACCOUNTS;
        let amount = round % 10;
        let body = async |tx: Transaction| {
            let source = number(&tx, &account(from), &balance()).await?;
            let target = number(&tx, &account(to), &balance()).await?;
            if source >= amount {
                tx.set(account(from), &balance(), (source - amount).to_string())?;
                tx.set(account(to), &balance(), (target + amount).to_string())?;
            }
            Ok::<(), fluo_engine::Error>(())
        };
        client.run(body).await?;
    }
    Ok(())
}

async fn increment(client: &Client, times: u32) -> fluo_engine::Result<()> {
    let count = Column::new("f", "count");
    for _ in 0..times {
        let body = async |tx: Transaction| {
            let value = number(&tx, "counter", &count).await?;
            tx.set("counter", &count, (value + 1).to_string())
        };
        client.run(body).await?;
    }
    Ok(())
}

/// Runs transfers and increments on both sides at once, and checks that no update is lost.
async fn share(together: &Together) {
    let client = together.client().await;
    let (mut one, mut other) = (together.java(), together.java());
    ask(&mut one, &format!("open-accounts {ACCOUNTS} {BALANCE}"));
    let java = thread::spawn(move || {
        let transfers = one.ask(&format!("transfer {ACCOUNTS} {TRANSFERS} 1")).unwrap();
        one.ask("increment counter f count 20").unwrap();
        (one, transfers)
    });
    let second = thread::spawn(move || {
        other.ask("increment counter f count 20").unwrap();
        other.ask(&format!("transfer {ACCOUNTS} {TRANSFERS} 2")).unwrap()
    });
    let (first, third) = (transfer(&client, 1), transfer(&client, 2));
    let counting = try_join_all([increment(&client, 20), increment(&client, 20)]);
    let (one, two, three) = tokio::join!(first, third, counting);
    one.and(two).unwrap();
    three.unwrap();
    let (mut peer, _) = java.join().unwrap();
    second.join().unwrap();
    let count = Column::new("f", "count");
    assert_eq!(read(&client, "counter", &count).await.unwrap(), "80");
    assert_eq!(ask(&mut peer, "get counter f count"), "80");
    let mut sum = 0;
    for number in 0..ACCOUNTS {
        let here = read(&client, &account(number), &balance()).await.unwrap();
        let command = format!("get {} bank balance", account(number));
        assert_eq!(ask(&mut peer, &command), here);
        sum += here.parse::<u32>().unwrap();
    }
    assert_eq!(sum, ACCOUNTS * BALANCE);
}

/// Java initializes the application and runs the oracle.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_sides_lose_no_update_in_an_application_of_java() {
    let Some(together) = Together::new("bank_of_java") else { return };
    let _java = together.java_with_oracle(&[]);
    share(&together).await;
}

/// This side initializes the application and runs the oracle.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_sides_lose_no_update_in_an_application_of_rust() {
    use fluo_engine::InstanceExt;
    let Some(together) = Together::new("bank_of_rust") else { return };
    let fluo = together.rust().await;
    fluo.application(&together.name).initialize().await.unwrap();
    let oracle = together.oracle().await;
    share(&together).await;
    oracle.stop().await;
}
