//! The text of the demo between its steps.

use std::collections::BTreeMap;

use anyhow::Result;
use fluo_keys::{ApplyEvent, RowHasher};
use fluo_table::{Escaped, Grouped, Tablets};

use crate::output::print;
use crate::table::bars;
use crate::text::count_of;

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

pub(super) fn heading(text: &str) -> Result<()> {
    show!("\n{text}\n{}", "=".repeat(text.chars().count()))
}

pub(super) fn opening(rows: &str) -> Result<()> {
    let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows.lines() {
        *hosts.entry(row.split('/').next().unwrap_or(row)).or_default() += 1;
    }
    let (host, most) =
        hosts.iter().max_by_key(|(_, count)| **count).map_or(("", 0), |(h, c)| (*h, *c));
    let total = count_of(rows.lines().count());
    heading("Real rows")?;
    show!(
        "{} home pages of software packages, as a web table has them. {} of them, {} %, are of {host}.",
        Grouped(total),
        Grouped(most),
        percent(most, total),
    )
}

pub(super) fn plain(tablets: &Tablets) -> Result<()> {
    heading("Written as they are")?;
    print(
        "20 tablets, split evenly over the alphabet; each bar is the rows of one, by its end row:\n",
    )?;
    draw(tablets)
}

pub(super) fn hashed(hasher: &RowHasher, rows: &str) -> Result<()> {
    heading("Written again through the RowHasher (`fluo key add`)")?;
    print("A hash of the row goes between a prefix and the row, so neighbors are separated:\n")?;
    rows.lines()
        .filter(|row| row.starts_with("com.github/a"))
        .take(4)
        .try_for_each(|row| show!("  {row}\n      {}", Escaped(&hasher.add(row.as_bytes()))))
}

pub(super) fn spread(tablets: &Tablets) -> Result<()> {
    print("\nThe same rows, over as many tablets:\n")?;
    draw(tablets)
}

pub(super) fn step(event: ApplyEvent<'_>) {
    if let ApplyEvent::Done(step) = event {
        // Ignore a closed output here: the next print at the end of the run reports it.
        let _ = show!("  done: {step}");
    }
}

pub(super) fn closing() -> Result<()> {
    print(CLOSING)?;
    let own = std::env::current_exe()?;
    show!("(`fluo` is {} here.)", own.display())
}

fn draw(tablets: &Tablets) -> Result<()> {
    let label = |end_row: Option<&[u8]>| match end_row {
        Some(row) => format!("  {}", Escaped(row)),
        None => "  (end)".to_owned(),
    };
    let tablets = tablets.as_slice().iter();
    let counts: Vec<_> =
        tablets.map(|tablet| (label(tablet.end_row.as_deref()), tablet.entries)).collect();
    bars(&counts).iter().try_for_each(|line| print(line))?;
    let loads = || counts.iter().map(|(_, count)| *count);
    let fullest = percent(loads().max().unwrap_or_default(), loads().sum());
    let even = percent(1, count_of(counts.len()));
    show!("\n  The fullest tablet has {fullest} % of the rows; an even share is {even} %.")
}

fn percent(part: u64, whole: u64) -> u64 {
    let whole = whole.max(1);
    (part * 100 + whole / 2) / whole
}
