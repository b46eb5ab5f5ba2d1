//! Where keys come from: a file, standard input, or a table.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use fluo_core::table::property::GROUP_PATTERN;
use fluo_core::{Authorizations, ErrorKind, Filter, Scan, Span, Table, TableAdmin};
use fluo_recipes::advisor::{ExistingTable, KeyProfile, ProfileBuilder, ProfileSettings};
use futures::TryStreamExt;
use indicatif::ProgressBar;

use crate::encoding::Encoding;
use crate::lines;
use crate::output::{count_of, grouped, plural};
use crate::progress;

/// After how many keys progress is told.
const TOLD_EVERY: u64 = 1 << 16;

/// Keys that were read.
pub(super) struct Source {
    /// What they were read from, as people call it.
    pub(super) name: String,
    /// What must be known of how they were read.
    pub(super) notes: Vec<String>,
    pub(super) profile: KeyProfile,
    /// The table, if they are of one.
    pub(super) table: Option<ExistingTable>,
}

impl Source {
    /// The lines of a file; of standard input for `-`.
    pub(super) async fn of_file(
        path: &Path,
        encoding: Encoding,
        settings: ProfileSettings,
    ) -> Result<Self> {
        let (name, input) = opened(path)?;
        let bar = progress::counter("keys");
        let shown = bar.clone();
        let read = move || profile_of(input, encoding, settings, &shown);
        let profile = tokio::task::spawn_blocking(read).await?;
        bar.finish_and_clear();
        Ok(Self {
            name,
            notes: Vec::new(),
            profile: profile?,
            table: None,
        })
    }

    /// The rows of a table: of each tablet the first ones, in equal parts of `most` rows.
    pub(super) async fn of_table(
        tables: &Arc<dyn TableAdmin>,
        name: &str,
        most: u64,
        settings: ProfileSettings,
    ) -> Result<Self> {
        let tablets = tables.tablets(name).await?;
        let spans: Vec<Span> = tablets.spans().map(|(span, _)| span).collect();
        let share = (most / count_of(spans.len()).max(1)).max(1);
        let table = tables.open_table(name, Authorizations::none()).await?;
        let bar = progress::counter("rows");
        let mut builder = ProfileBuilder::new(settings);
        let mut cut_short = 0_u64;
        for span in spans {
            let is_cut_short = read_rows(&table, span, share, &mut builder, &bar).await?;
            cut_short += u64::from(is_cut_short);
        }
        bar.finish_and_clear();
        let mut notes = Vec::new();
        if cut_short > 0 {
            notes.push(format!(
                "Only the first {} of {} were read; loads are of what was read. --rows reads more.",
                plural(share, "row"),
                match cut_short {
                    1 => "1 tablet".to_owned(),
                    some => format!("each of {} tablets", grouped(some)),
                }
            ));
        }
        let group_pattern = match tables.properties(name).await {
            Ok(properties) => properties.get(GROUP_PATTERN).cloned(),
            Err(error) if error.kind() == ErrorKind::Denied => {
                notes.push(format!(
                    "The groups of the balancer could not be read: {error}."
                ));
                None
            }
            Err(error) => return Err(error.into()),
        };
        let table = ExistingTable {
            servers: u32::try_from(tables.servers().await?.len().max(1))?,
            splits: tables.splits(name).await?,
            group_pattern,
        };
        Ok(Self {
            name: format!("table `{name}`"),
            notes,
            profile: builder.finish(),
            table: Some(table),
        })
    }
}

fn opened(path: &Path) -> Result<(String, Box<dyn Read + Send>)> {
    if path.as_os_str() == "-" {
        return Ok(("standard input".to_owned(), Box::new(io::stdin())));
    }
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot read the keys of {name}"))?;
    if file.metadata()?.is_dir() {
        bail!("cannot read the keys of {name}: it is a directory");
    }
    Ok((name, Box::new(file)))
}

fn profile_of(
    input: impl Read,
    encoding: Encoding,
    settings: ProfileSettings,
    bar: &ProgressBar,
) -> Result<KeyProfile> {
    let mut builder = ProfileBuilder::new(settings);
    lines::for_each(input, |number, line| {
        builder.push(&encoding.decode(line)?);
        if number % TOLD_EVERY == 0 {
            bar.set_position(number);
        }
        Ok(())
    })?;
    Ok(builder.finish())
}

/// Whether there were more rows than were read.
async fn read_rows(
    table: &Arc<dyn Table>,
    span: Span,
    most: u64,
    builder: &mut ProfileBuilder,
    bar: &ProgressBar,
) -> Result<bool> {
    let mut batches = table.scan(Scan::over(span).filter(Filter::FirstOfRow));
    let mut rows = 0;
    while let Some(cells) = batches.try_next().await? {
        for cell in cells {
            if rows == most {
                return Ok(true);
            }
            builder.push(&cell.key.row);
            rows += 1;
        }
        bar.set_position(builder.keys());
    }
    Ok(false)
}
