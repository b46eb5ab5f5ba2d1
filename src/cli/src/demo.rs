//! `fluo demo`: the row hasher on real rows, in an embedded table that is removed afterwards.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Error, Result};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_keys::{ApplyEvent, BulkLoad, KeyDesign, RowHasher, Unsalted};
use fluo_table::{
    Authorizations, Bytes, Column, Escaped, Grouped, Mutation, TableAdmin, Tablet, Versions,
};
use futures::stream;

use crate::color::{Meaning, painted};
use crate::exit::Outcome;
use crate::layout::{self, DEFAULT_WIDTH};
use crate::output::print;
use crate::text::count_of;
use crate::{interruption, output, progress, table};

/// Real rows: see `examples/data/README.md`.
const ROWS: &str = include_str!("../../../examples/data/package-homepages.txt");
const TABLETS: u32 = 20;
const SERVERS: usize = 4;
/// The least width of a picture beside another one.
const MIN_SIDE: usize = 26;
/// The characters between two pictures.
const GAP: usize = 3;

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

const CLOSING: &str = "
Nothing of this is left. To do it with rows of your own, one a line in rows.txt:

  cat > pages.toml <<'END'
  [[row_hasher]]
  prefix = \"p\"
  tablets = 20
  END
  fluo table create --at embedded:./data pages
  fluo table load   --at embedded:./data pages --prefix p rows.txt
  fluo table plan   --at embedded:./data --spec pages.toml pages
  fluo table apply  --at embedded:./data --spec pages.toml pages
  fluo table verify --at embedded:./data --spec pages.toml pages

Every command explains itself: fluo table plan --help";

async fn tell(tables: &EmbeddedTables) -> Result<Outcome> {
    let hasher = RowHasher::new("p")?;
    let plain = KeyDesign::new(Unsalted {})?;
    load(tables, "plain", &alphabet_splits(), &plain).await?;
    load(tables, "pages", &BTreeSet::new(), &KeyDesign::from(&hasher)).await?;
    let optimizations = hasher.table_optimizations(TABLETS)?;
    let plan = optimizations.plan(tables, "pages").await?;
    let mut steps = Vec::new();
    let note = |event: ApplyEvent<'_>| {
        if let ApplyEvent::Done(step) = event {
            steps.push(step.to_string());
        }
    };
    plan.apply(tables).on_event(note).await?;
    opening()?;
    let (plain, hashed) = (tables.tablets("plain").await?, tables.tablets("pages").await?);
    // No hashed row falls in the last tablet.
    let hashed = hashed.as_slice().split_last().map(|(_, hashed)| hashed);
    draw(plain.as_slice(), hashed.unwrap_or_default())?;

    heading("The rows, through the RowHasher (`fluo key add`)")?;
    print("A hash of the row goes between a prefix and the row, so neighbors are separated:\n")?;
    for row in ROWS.lines().filter(|row| row.starts_with("com.github/a")).take(4) {
        show!("  {row}\n      {}", Escaped(&hasher.add(row.as_bytes())))?;
    }

    heading("The plan (`fluo table plan`)")?;
    table::describe_plan(&plan, false)?;

    heading("Applied, step by step (`fluo table apply`)")?;
    steps.iter().try_for_each(|step| show!("  done: {step}"))?;

    heading("Verified (`fluo table verify`)")?;
    let verdict = optimizations.verify(tables, "pages").await?;
    table::describe_verdict(&verdict)?;
    print(CLOSING)?;
    show!("(`fluo` is {} here.)", std::env::current_exe()?.display())?;
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
    let bar = progress::parts("loading rows", count_of(ROWS.lines().count()));
    let loading = BulkLoad::new(design).on_progress(|report| bar.set_position(report.written));
    loading.load(&*table, stream::iter(ROWS.lines().map(row))).await?;
    Ok(())
}

/// Returns split points that are evenly spread over the first two letters of rows.
fn alphabet_splits() -> BTreeSet<Bytes> {
    let letter = |n: u32| u8::try_from(n).map_or(b'z', |n| b'a' + n.min(25));
    let split = |i: u32| i * 26 * 26 / TABLETS;
    (1..TABLETS).map(|i| Bytes::from(vec![letter(split(i) / 26), letter(split(i) % 26)])).collect()
}

fn heading(text: &str) -> Result<()> {
    show!("\n{}\n{}", painted(Meaning::Title, text), "=".repeat(text.chars().count()))
}

fn opening() -> Result<()> {
    let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
    for row in ROWS.lines() {
        *hosts.entry(row.split('/').next().unwrap_or(row)).or_default() += 1;
    }
    let total = hosts.values().sum();
    let (host, most) = hosts.into_iter().max_by_key(|(_, count)| *count).unwrap_or_default();
    let (all, share) = (Grouped(total), percent(most, total));
    show!("{all} home pages, {share} % of them of {host}, in {TABLETS} tablets by end row:")
}

/// Draws two tables side by side, with one scale.
fn draw(plain: &[Tablet], hashed: &[Tablet]) -> Result<()> {
    let width = layout::output_width().unwrap_or(DEFAULT_WIDTH);
    let side = (width - GAP) / 2;
    let loads =
        |tablets: &[Tablet]| tablets.iter().map(|tablet| tablet.entries).collect::<Vec<_>>();
    let most = |tablets: &[Tablet]| loads(tablets).into_iter().max().unwrap_or_default();
    let scale = most(plain).max(most(hashed));
    let column = |title: &str, tablets: &[Tablet]| {
        let label = |end_row: Option<&Bytes>| {
            end_row.map_or_else(|| "(end)".to_owned(), |row| Escaped(row).to_string())
        };
        let bar = |tablet: &Tablet| ([label(tablet.end_row.as_ref())], tablet.entries);
        let bars: Vec<_> = tablets.iter().map(bar).collect();
        let share = percent(most(tablets), loads(tablets).into_iter().sum());
        let mut lines = vec![painted(Meaning::Title, title)];
        lines.extend(layout::bars(&bars, Some(scale), Some(side)));
        lines.push(format!("the fullest has {share} %"));
        lines
    };
    let (left, right) = (column("as they are", plain), column("through the RowHasher", hashed));
    if side < MIN_SIDE {
        return left.iter().chain(&right).try_for_each(|line| print(line));
    }
    for (left, right) in left.iter().zip(&right) {
        let blanks = " ".repeat((side + GAP).saturating_sub(layout::chars_of(left)));
        show!("{left}{blanks}{right}")?;
    }
    Ok(())
}

fn percent(part: u64, whole: u64) -> u64 {
    let whole = whole.max(1);
    (part * 100 + whole / 2) / whole
}
