//! Export and import of a table as files: `cargo run -p accumulo-proxy --example transfer`.
//!
//! The servers write the export, and this program copies the files of the table to the same folder,
//! `ACCUMULO_FOLDER` (the temporary folder unless set). The program and the servers must therefore
//! share that folder: use an Accumulo on this machine with local files. If the files are in HDFS,
//! `hadoop distcp -f` copies them.

#![allow(clippy::print_stdout, reason = "an example prints what it does")]

mod connect;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process};

use accumulo_proxy::{Mutation, ProxyClient, ScanOptions, TimeType};
use futures::TryStreamExt;
use tokio::time::sleep;

const TABLE: &str = "example_transfer";
const IMPORTED: &str = "example_transfer_imported";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let client = connect::connect().await?;
    let parent = env::var_os("ACCUMULO_FOLDER").map_or_else(env::temp_dir, PathBuf::from);
    let folder = parent.join(format!("example-transfer-{}", process::id()));
    client.table_operations().create(TABLE, true, TimeType::Millis).await?;
    let done = work(&client, &folder).await;
    client.table_operations().delete(TABLE).await?;
    // There is no folder if the export failed.
    let _ = fs::remove_dir_all(&folder);
    done
}

async fn work(client: &ProxyClient, folder: &Path) -> Result<()> {
    let tables = client.table_operations();
    // The proxy caches the names of tables, and sees a new one a moment later.
    while !tables.exists(TABLE).await? {
        sleep(Duration::from_millis(20)).await;
    }
    tables.add_splits(TABLE, ["m"]).await?;
    let rows = ["apple", "pear"].map(|row| Mutation::new(row).put("f", "q", "v"));
    client.write(TABLE, rows.to_vec()).await?;
    tables.flush(TABLE, None, None, true).await?;

    let directory = folder.to_str().ok_or("the folder's name is not text")?;
    // The files must not change from here on.
    tables.offline(TABLE, true).await?;
    tables.export_table(TABLE, directory).await?;
    println!("exported, {} files to copy", copy_files(folder)?);

    tables.import_table(IMPORTED, directory).await?;
    let imported = read(client).await;
    let deleted = tables.delete(IMPORTED).await;
    println!("imported: {}", imported?);
    deleted?;
    Ok(())
}

/// Copies the files of the table, which the export lists, to the folder of the import.
fn copy_files(folder: &Path) -> Result<usize> {
    let list = fs::read_to_string(folder.join("distcp.txt"))?;
    let files: Vec<_> = list
        .lines()
        .map(|file| Path::new(file.trim_start_matches("file:")))
        .filter(|file| !file.starts_with(folder))
        .collect();
    for file in &files {
        let name = file.file_name().ok_or("a file without a name")?;
        fs::copy(file, folder.join(name))?;
    }
    Ok(files.len())
}

async fn read(client: &ProxyClient) -> accumulo_proxy::Result<String> {
    let entries: Vec<_> = client.scanner(IMPORTED, ScanOptions::default()).try_concat().await?;
    let splits = client.table_operations().list_splits(IMPORTED, None).await?;
    Ok(format!("{} entries, split at {splits:?}", entries.len()))
}
