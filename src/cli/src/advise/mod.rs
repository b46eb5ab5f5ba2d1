//! `fluo advise`: what keys look like, what every key design would do to them, which one to use.

mod input;
mod page;
mod target;
mod text;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use fluo_recipes::KeyDesign;
use fluo_recipes::advisor::{
    AdviceSettings, AdvisorReport, Arrivals, Candidate, ExistingTable, ProfileSettings, Read,
};
use serde::Serialize;

use self::input::Source;
use self::target::MaybeTarget;
use crate::document;
use crate::encoding::Encoding;
use crate::exit::Outcome;
use crate::interruption;
use crate::output;
use crate::spec::{self, Layout, Recipe};

/// Look at keys, and advise how to spread them.
///
/// Reads keys in their order of arrival, one a line, in one pass and bounded memory; tries every key design on a sample
/// of them; and recommends one, with its reasons and the spec file to use. With --at, it samples the rows of a table, and
/// takes its servers, tablets and designs from it. Keys that have designs already are answered with the spec of these.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo advise --servers 5 keys.txt
  zcat keys.gz | fluo advise --servers 5 --reads range --html report.html -
  fluo advise --at embedded:./data pages
  fluo advise --spec mine.toml keys.txt")]
pub(crate) struct Advise {
    /// The file of keys, one a line, or - for standard input; with --at, the table
    #[arg(value_name = "FILE")]
    what: PathBuf,
    #[command(flatten)]
    target: MaybeTarget,
    /// How the keys are written in the file
    #[arg(long, value_enum, default_value_t, conflicts_with = "at")]
    encoding: Encoding,
    /// The keys are not in the order in which they were or will be written: do not conclude from it
    #[arg(long)]
    unordered: bool,
    /// Most rows that are read of a table, from the start of each tablet, in proportion to its stored entries
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "at")]
    rows: u64,
    /// A label of visibilities to read the table with; repeat it for each. What is not seen is not there for this command
    #[arg(long = "authorization", value_name = "LABEL", requires = "at")]
    authorizations: Vec<String>,
    #[command(flatten)]
    table: TableArguments,
    /// Try the designs of this spec too, each in as many tablets as it says, or in as many as the others
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// What random choices start from: the same keys and seed give the same advice
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print everything but the heat map as JSON
    #[arg(long)]
    json: bool,
    /// Write a page with pictures: one file, which needs no network
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Write the recommended spec file
    #[arg(long, value_name = "FILE.toml")]
    write_spec: Option<PathBuf>,
}

/// The table that the keys are for.
#[derive(Args, Debug)]
#[command(next_help_heading = "The table that the keys are for")]
struct TableArguments {
    /// How many servers there are, from 1 on; those of the table with --at, or else 1, unless given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    servers: Option<u32>,
    /// How many tablets it shall have, 1 to 65,536; those of the table with --at if it is split, or else computed from
    /// servers, rate and size unless given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    tablets: Option<u32>,
    /// How many rows a second are to be written
    #[arg(long, value_name = "N")]
    rows_per_second: Option<u64>,
    /// How many bytes it will have
    #[arg(long, value_name = "N")]
    table_bytes: Option<u64>,
    /// How rows are read beside one by one; separate several by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    reads: Vec<ReadName>,
    /// Rows are never read one by one, only as --reads says
    #[arg(long, requires = "reads")]
    scans_only: bool,
    /// How many cells a row has, from 1 on
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    cells_per_row: u64,
    /// How many bytes the family, qualifier and visibility of a cell have together
    #[arg(long, value_name = "N", default_value_t = 0)]
    column_bytes: u64,
}

/// A way to read rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReadName {
    /// All rows with a prefix
    Prefix,
    /// All rows between two
    Range,
    /// All rows with one leading field
    Field,
    /// All pages of a domain and of its subdomains
    Domain,
}

impl From<ReadName> for Read {
    fn from(name: ReadName) -> Self {
        match name {
            ReadName::Prefix => Self::Prefix,
            ReadName::Range => Self::Range,
            ReadName::Field => Self::Field,
            ReadName::Domain => Self::Domain,
        }
    }
}

impl TableArguments {
    fn settings(&self, table: Option<ExistingTable>) -> AdviceSettings {
        let servers = self.servers.or_else(|| Some(table.as_ref()?.servers));
        AdviceSettings {
            servers: servers.unwrap_or(1),
            tablets: self.tablets,
            rows_per_second: self.rows_per_second,
            table_bytes: self.table_bytes,
            reads: self.reads.iter().copied().map(Read::from).collect(),
            scans_only: self.scans_only,
            cells_per_row: self.cells_per_row,
            column_bytes: self.column_bytes,
            table,
        }
    }
}

/// What is said of one source of keys.
struct Told {
    /// The source, as people call it.
    source: String,
    /// What must be known of how it was read.
    notes: Vec<String>,
    report: AdvisorReport,
    /// The spec file, where there is one.
    spec: Option<String>,
    /// What to do with it.
    next: String,
}

#[derive(Serialize)]
struct Printed<'a> {
    source: &'a str,
    notes: &'a [String],
    #[serde(flatten)]
    report: serde_json::Value,
    spec_file: Option<&'a str>,
}

pub(crate) async fn run(command: Advise) -> Result<Outcome> {
    let interrupted = interruption::any()?;
    // Where it reads from standard input it may wait for ever: then it is left behind.
    tokio::select! {
        told = command.checked() => {
            command.write(&told?)?;
            Ok(Outcome::Success)
        }
        by = interrupted => Ok(Outcome::Interrupted(by)),
    }
}

impl Advise {
    async fn checked(&self) -> Result<Told> {
        self.check_files()?;
        self.told().await
    }

    /// Nothing that is written may be what is read, or what else is written.
    fn check_files(&self) -> Result<()> {
        let written = [(&self.html, "page"), (&self.write_spec, "spec")];
        let keys = (self.target.0.is_none() && self.what.as_os_str() != "-").then_some(&self.what);
        let read = [
            (keys, "the file of keys"),
            (self.spec.as_ref(), "the spec to be tried"),
        ];
        for (path, what) in written {
            for (read, is) in read {
                if let Some((path, read)) = path.as_ref().zip(read) {
                    document::check_is_another(path, read, is)
                        .with_context(|| format!("cannot write the {what} {}", path.display()))?;
                }
            }
        }
        if let (Some(page), Some(spec)) = (&self.html, &self.write_spec)
            && place_of(page) == place_of(spec)
        {
            bail!(
                "--html {} and --write-spec {} are one file: give each a file of its own",
                page.display(),
                spec.display()
            );
        }
        Ok(())
    }

    async fn told(&self) -> Result<Told> {
        // Before anything is read: a spec that is wrong is told at once.
        let own = self.spec.as_deref().map(spec::recipes).transpose()?;
        let settings = ProfileSettings {
            seed: self.seed,
            // A table gives its rows in their order.
            arrivals: if self.unordered || self.target.0.is_some() {
                Arrivals::Unordered
            } else {
                Arrivals::AsWritten
            },
        };
        let source = match &self.target.0 {
            None => Source::of_file(&self.what, self.encoding, settings).await?,
            Some(target) => {
                let Some(name) = self.what.to_str() else {
                    bail!(
                        "the name of a table is text, and {} is not",
                        self.what.display()
                    );
                };
                let labels = self.authorizations.iter().cloned().collect();
                let tables = target.open().await?;
                Source::of_table(&tables, name, labels, self.rows, settings).await?
            }
        };
        if source.profile.keys == 0 {
            bail!("there are no keys in {}: give at least one", source.name);
        }
        let mut notes = source.notes;
        if source.profile.is_sorted_as_written() {
            notes.push(
                "If the keys are not in the order in which they were or will be written, give --unordered.".to_owned(),
            );
        }
        let (profile, advice) = (source.profile, self.table.settings(source.table));
        let own = self.own_designs(&own.unwrap_or_default(), advice.tablets()?.tablets);
        let work = move || AdvisorReport::with_own(profile, own, &advice);
        let report = tokio::task::spawn_blocking(work).await??;
        let spec = report
            .advice
            .spec
            .as_ref()
            .map(toml::to_string_pretty)
            .transpose()?;
        Ok(Told {
            source: source.name,
            notes,
            report,
            spec,
            next: self.next(),
        })
    }

    /// The designs of the spec that was given.
    fn own_designs(&self, recipes: &[Recipe], wanted: u32) -> Vec<Candidate> {
        let path = self.spec.as_deref().unwrap_or(Path::new(""));
        let name = path.file_name().unwrap_or(path.as_os_str()).display();
        let candidate = |recipe: &Recipe| {
            let tablets = match (&recipe.layout, self.table.tablets) {
                (_, Some(given)) => given,
                (Layout::Tablets(tablets), None) => *tablets,
                (Layout::At(_), None) => wanted,
            };
            let label = format!("{} of {name}", recipe_name(&recipe.design));
            Candidate::new(label, recipe.design.settings().clone(), tablets)
        };
        recipes.iter().map(candidate).collect()
    }

    fn write(&self, told: &Told) -> Result<()> {
        if self.write_spec.is_some() && told.spec.is_none() {
            bail!("no design can be advised for these keys, so there is no spec file to write");
        }
        if let Some(path) = &self.html {
            let page = page::page(told)?;
            document::write(path, page.as_bytes())
                .with_context(|| format!("cannot write the page {}", path.display()))?;
        }
        if let (Some(path), Some(spec)) = (&self.write_spec, &told.spec) {
            document::write(path, spec.as_bytes())
                .with_context(|| format!("cannot write the spec {}", path.display()))?;
        }
        if self.json {
            output::print_json(&printed(told)?)?;
        } else {
            output::print(&text::lines(told).join("\n"))?;
        }
        if let Some(path) = &self.html {
            output::say(&format!("wrote the page {}", path.display()));
        }
        if let (Some(path), Some(_)) = (&self.write_spec, &told.spec) {
            output::say(&format!("wrote the spec {}", path.display()));
        }
        Ok(())
    }

    /// Says what the next command is.
    fn next(&self) -> String {
        match &self.write_spec {
            Some(path) => format!(
                "Next: `{}` says what the spec would change.",
                self.planning(&path.display().to_string())
            ),
            None => format!(
                "Next: write it to a file (--write-spec FILE.toml); `{}` then says what it would change.",
                self.planning("FILE.toml")
            ),
        }
    }

    /// Returns the command that compares a spec with the table, as far as the table is named.
    fn planning(&self, spec: &str) -> String {
        let (at, table) = match &self.target.0 {
            Some(target) => (target.to_string(), self.what.display().to_string()),
            None => ("TARGET".to_owned(), "TABLE".to_owned()),
        };
        format!("fluo table plan --at {at} --spec {spec} {table}")
    }
}

/// A design as a table of designs names it.
fn recipe_name(design: &KeyDesign) -> String {
    match design.row_hasher() {
        Some(hasher) => format!("{} `{}`", design.name(), hasher.prefix()),
        None => design.name().to_owned(),
    }
}

/// Where a file is or would be, by whatever path it is named.
fn place_of(path: &Path) -> PathBuf {
    let found = path.canonicalize().or_else(|_| {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default();
        Ok::<_, std::io::Error>(directory.canonicalize()?.join(name))
    });
    found.unwrap_or_else(|_| path.to_owned())
}

fn printed(told: &Told) -> Result<Printed<'_>> {
    let mut report = serde_json::to_value(&told.report)?;
    // A hundred thousand numbers for a picture.
    if let Some(profile) = report
        .get_mut("profile")
        .and_then(|profile| profile.as_object_mut())
    {
        profile.remove("heat_map");
    }
    Ok(Printed {
        source: &told.source,
        notes: &told.notes,
        report,
        spec_file: told.spec.as_deref(),
    })
}
