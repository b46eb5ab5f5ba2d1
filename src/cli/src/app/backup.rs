//! `fluo app backup` and `fluo app restore`.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use fluo_accumulo::{StoredNode, back_up_application, restore_application};
use fluo_table::{Escaped, unescape};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::application::advised;
use crate::target::ZooKeeperTarget;
use crate::text::{count_of, counted};
use crate::{atomic_file, output};

const FORMAT: u32 = 1;
const IN_A_DIRECTORY: &str = "is backed up by a copy of the directory";

/// Copy the nodes of an application on Accumulo from ZooKeeper to a new file.
///
/// First stop all clients and workers, then back up the table, then the nodes: so the timestamps in
/// ZooKeeper are later than those in the table. The nodes of sessions are left out. The file has
/// the settings of the application, so only its owner can read it. The command needs ZooKeeper and
/// no proxy.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  fluo app backup --zookeepers localhost:2181/fluo web web.nodes"
)]
pub(crate) struct Backup {
    #[command(flatten)]
    file: BackupFile,
}

/// Create an application on Accumulo with the nodes that `fluo app backup` wrote.
///
/// The application must not exist; `fluo app remove` removes it, with its table. Restore the table
/// too, start an oracle, and compare both with `fluo app check` before any other program starts.
/// The nodes get the permissions of a new application, with the present secret. ZooKeeper must have
/// the Accumulo instance of the backup; of several, the command cannot tell which has the table. It
/// needs no proxy.
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  fluo app restore --zookeepers localhost:2181/fluo web web.nodes"
)]
pub(crate) struct Restore {
    #[command(flatten)]
    file: BackupFile,
}

#[derive(Args, Debug)]
struct BackupFile {
    #[command(flatten)]
    target: ZooKeeperTarget,
    /// The application
    #[arg(value_name = "APPLICATION")]
    name: String,
    /// The file of the nodes
    file: PathBuf,
}

/// The first line of a file; a [`Line`] for each node follows.
#[derive(Deserialize, Serialize)]
struct Header {
    format: u32,
    application: String,
    nodes: usize,
}

#[derive(Deserialize, Serialize)]
struct Line {
    path: String,
    /// As printable ASCII or `\xNN`.
    data: String,
}

impl Backup {
    pub(crate) async fn run(&self) -> Result<()> {
        let BackupFile { target, name, file } = &self.file;
        let zookeeper = target.options(IN_A_DIRECTORY).await?;
        let nodes = back_up_application(&zookeeper, name).await.map_err(advised)?;
        let written = atomic_file::create(file, lines(name, &nodes)?.as_bytes());
        written.with_context(|| format!("cannot write the backup {}", file.display()))?;
        let count = nodes.len();
        let (nodes, file) = (counted(count_of(count), "node"), file.display());
        say!("wrote {nodes} of application `{name}` to {file}");
        output::print_result(&json!({ "name": name, "nodes": count }))
    }
}

impl Restore {
    pub(crate) async fn run(&self) -> Result<()> {
        let BackupFile { target, name, file } = &self.file;
        let zookeeper = target.options(IN_A_DIRECTORY).await?;
        let text = atomic_file::read(file).and_then(|bytes| Ok(String::from_utf8(bytes)?));
        let text = text.with_context(|| format!("cannot read the backup {}", file.display()))?;
        let nodes = read(&text, name).with_context(|| format!("in {}", file.display()))?;
        let count = nodes.len();
        restore_application(&zookeeper, name, nodes).await.map_err(advised)?;
        say!("restored {} of application `{name}`", counted(count_of(count), "node"));
        output::print_result(&json!({ "name": name, "nodes": count }))
    }
}

fn lines(name: &str, nodes: &[StoredNode]) -> Result<String> {
    let header = Header { format: FORMAT, application: name.to_owned(), nodes: nodes.len() };
    let mut lines = serde_json::to_string(&header)? + "\n";
    for StoredNode { path, data } in nodes {
        let line = Line { path: path.clone(), data: Escaped(data).in_ascii().to_string() };
        lines += &(serde_json::to_string(&line)? + "\n");
    }
    Ok(lines)
}

fn read(text: &str, name: &str) -> Result<Vec<StoredNode>> {
    let mut lines = text.lines().zip(1..);
    let Header { format, application, nodes } = parsed(lines.next().unwrap_or(("", 1)))?;
    ensure!(format <= FORMAT, "a later version wrote this backup, in format {format}; update fluo");
    ensure!(application == name, "this is a backup of application `{application}`, not `{name}`");
    let read = lines.map(|line| {
        let Line { path, data } = parsed(line)?;
        let data = unescape(&data).with_context(|| format!("line {}", line.1))?;
        Ok(StoredNode { path, data })
    });
    let read = read.collect::<Result<Vec<_>>>()?;
    ensure!(
        read.len() == nodes,
        "this backup has {} of {nodes} nodes; use a complete one",
        read.len()
    );
    Ok(read)
}

fn parsed<T: DeserializeOwned>((line, number): (&str, u64)) -> Result<T> {
    serde_json::from_str(line).map_err(|error| {
        let cause = crate::wording::of_json_line(&error);
        anyhow!("line {number} is not of a backup: {cause}")
    })
}
