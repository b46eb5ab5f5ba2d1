//! `fluo demo`: the row hasher on real rows, in an embedded table that is removed afterwards.

mod story;

use std::collections::BTreeSet;

use anyhow::{Context, Error, Result};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{BulkLoad, KeyDesign, RowHasher, Unsalted};
use fluo_table::{Authorizations, Bytes, Column, Mutation, TableAdmin, Tablets, Versions};
use futures::stream;

use crate::exit::Outcome;
use crate::table::Origin;
use crate::{interruption, output, progress, table};

/// Real rows: see `examples/data/README.md`.
const ROWS: &str = include_str!("../../../../examples/data/package-homepages.txt");
const TABLETS: u32 = 20;
const SERVERS: usize = 4;

/// Runs the demo until it ends or is interrupted. The directory is removed in both cases.
pub(crate) async fn run() -> Result<Outcome> {
    // Listen for signals before the directory exists, so it is never left behind.
    let interrupted = interruption::any()?;
    let directory = tempfile::tempdir().context("cannot make a directory for the demo")?;
    let options = EmbeddedOptions::new().create_if_missing(true).servers(SERVERS.try_into()?);
    let tables = EmbeddedTables::open(directory.path(), options)?;
    tokio::select! {
        told = tell(&tables) => told,
        by = interrupted => {
            output::say("interrupted: nothing is left of the demo");
            Ok(Outcome::Interrupted(by))
        }
    }
}

async fn tell(tables: &EmbeddedTables) -> Result<Outcome> {
    let hasher = RowHasher::new("p")?;
    story::opening(ROWS)?;

    let plain = KeyDesign::new(Unsalted {})?;
    load(tables, "plain", &alphabet_splits(), &plain).await?;
    story::plain(&tables.tablets("plain").await?)?;

    load(tables, "pages", &BTreeSet::new(), &KeyDesign::from(&hasher)).await?;
    story::hashed(&hasher, ROWS)?;

    let optimizations = hasher.table_optimizations(TABLETS)?;
    let plan = optimizations.plan(tables, "pages").await?;
    story::heading("The plan (`fluo table plan`)")?;
    table::describe_plan(&plan, false, Origin::SPEC)?;

    story::heading("Applied, step by step (`fluo table apply`)")?;
    plan.apply(tables).on_event(story::step).await?;
    let tablets = tables.tablets("pages").await?;
    story::spread(&without_last(&tablets))?;

    story::heading("Verified (`fluo table verify`)")?;
    let verdict = optimizations.verify(tables, "pages").await?;
    table::describe_verdict(&verdict, Origin::SPEC)?;
    story::closing()?;
    Ok(Outcome::of(verdict.ok))
}

async fn load(
    tables: &EmbeddedTables,
    name: &str,
    splits: &BTreeSet<Bytes>,
    design: &KeyDesign,
) -> Result<()> {
    tables.create_table(name, Versions::default()).await?;
    tables.add_splits(name, splits).await?;
    let table = tables.open_table(name, Authorizations::none()).await?;
    let row = |row| Ok::<_, Error>(Mutation::new(row).put(Column::new("page", "uri"), ""));
    let bar = progress::counter("rows");
    let loaded = BulkLoad::new(design)
        .on_progress(|report| bar.set_position(report.written))
        .load(&*table, stream::iter(ROWS.lines().map(row)))
        .await;
    loaded?;
    Ok(())
}

/// Returns split points that are evenly spread over the first two letters of rows.
fn alphabet_splits() -> BTreeSet<Bytes> {
    let letter = |n: u32| u8::try_from(n).map_or(b'z', |n| b'a' + n.min(25));
    let split = |i: u32| i * 26 * 26 / TABLETS;
    (1..TABLETS).map(|i| Bytes::from(vec![letter(split(i) / 26), letter(split(i) % 26)])).collect()
}

/// Returns the tablets of the hasher without the last one, which no hashed row falls in.
fn without_last(tablets: &Tablets) -> Tablets {
    let hashed = tablets.as_slice().split_last().map(|(_, hashed)| hashed.to_vec());
    Tablets::new(hashed.unwrap_or_default())
}
