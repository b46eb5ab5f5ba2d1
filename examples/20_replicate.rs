//! Replication: the writes of transactions, repeated in two other tables.
//!
//! A shop records each transaction, and adds its log to two export queues. One copies all cells to
//! a table for the staff. The other one copies only the stock, to a table for customers. Each table
//! has a queue of its own, so a table that cannot be written does not delay the other one.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use anyhow::Result;
use fluo::recipes::codec::{Postcard, Text};
use fluo::recipes::recording::{LogEntry, RecordedTransaction, TxLog};
use fluo::table::Escaped;
use fluo::{Client, ExportQueue, Fluo, Scan, Span, Table, TableSink, Transaction, TypedColumn};

const STOCK: TypedColumn<u64> = TypedColumn::new("product", "stock");
const SUPPLIER: TypedColumn<String> = TypedColumn::new("product", "supplier");

/// Logs of transactions. The key is the row of the product that the transaction changes, so the
/// transactions of a key conflict, and their logs are applied in the order of the commits.
type Logs = ExportQueue<String, TxLog>;

#[tokio::main]
async fn main() -> Result<()> {
    let directory = tempfile::tempdir()?;
    let fluo = Fluo::open(directory.path())?;
    let back_office = fluo.create_table("back_office").await?;
    let web_shop = fluo.create_table("web_shop").await?;

    let all = logs_to(&back_office, "all")?;
    let public = logs_to(&web_shop, "public")?;
    let shop = fluo.application("shop").recipe(&all).recipe(&public);
    let client = shop.create().await?;
    let worker = client.worker().start().await?;

    for (product, stock, supplier) in [("p:lamp", 7, "Ampere & Co"), ("p:chair", 2, "Oak Ltd")] {
        stock_up(&client, [&all, &public], product, stock, supplier).await?;
    }
    for _ in 0..2 {
        sell(&client, [&all, &public], "p:chair").await?;
    }
    client.wait_until_idle().await?;
    for (name, table) in [("back office", &back_office), ("web shop", &web_shop)] {
        println!("The table of the {name}:");
        print_cells(table).await?;
    }
    worker.stop().await;
    Ok(())
}

/// Returns a queue whose logs are applied to a table.
fn logs_to(table: &Table, id: &str) -> fluo::Result<Logs> {
    let logs = Logs::with_codecs(id, Text, Postcard)?.buckets(7)?;
    let sink = TableSink::new(&logs, table.clone().into(), |export| {
        Ok(export.value.to_mutations(export.sequence))
    });
    Ok(logs.export_with(sink))
}

async fn stock_up(
    client: &Client,
    queues: [&Logs; 2],
    product: &str,
    stock: u64,
    supplier: &str,
) -> fluo::Result<()> {
    client
        .run(async |tx| {
            let recorded = RecordedTransaction::new(&tx);
            recorded.set(product.to_owned(), &STOCK, stock)?;
            recorded.set(product.to_owned(), &SUPPLIER, supplier)?;
            export(&tx, queues, product, recorded.finish())
        })
        .await
}

/// Sells one piece. The last one removes the product from the shop.
async fn sell(client: &Client, queues: [&Logs; 2], product: &str) -> fluo::Result<()> {
    client
        .run(async |tx| {
            let recorded = RecordedTransaction::new(&tx);
            match recorded.get(product.to_owned(), &STOCK).await? {
                None | Some(0) => return Ok(()),
                Some(1) => recorded.delete(product.to_owned(), &STOCK)?,
                Some(stock) => recorded.set(product.to_owned(), &STOCK, stock - 1)?,
            }
            export(&tx, queues, product, recorded.finish())
        })
        .await
}

/// Adds a log to the queue of all cells, and its public part to the queue of public cells.
fn export(
    tx: &Transaction,
    [all, public]: [&Logs; 2],
    product: &str,
    log: TxLog,
) -> fluo::Result<()> {
    let is_public = |entry: &&LogEntry| entry.cell().column == STOCK.column();
    let public_part = log.entries.iter().filter(is_public).cloned();
    public.add(tx, product, public_part.collect::<TxLog>())?;
    all.add(tx, product, log)
}

async fn print_cells(table: &Table) -> Result<()> {
    for cell in table.read(Scan::over(Span::prefix("p:"))).await? {
        // The sink keeps the sequence of the last log beside the cells of a product.
        if cell.key.column.family != "fluoRecipes" {
            let (row, value) = (Escaped(&cell.key.row), Escaped(&cell.value));
            println!("  {row} {} = {value}", cell.key.column);
        }
    }
    Ok(())
}
