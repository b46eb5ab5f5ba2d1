//! The checks of `fluo table verify`, `fluo table watch` and `fluo app verify`, and the text of a
//! verdict.

use std::fmt::Display;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use fluo_keys::{
    Difference, Load, LoadStanding, MaxSkew, Place, RowCounting, RowsVerdict, Verdict,
    VerifyOptions,
};
use fluo_table::{Error, ErrorKind, Grouped};
use serde::Serialize;
use serde_json::Value;
use tokio::time::sleep;

use super::plan::Optimized;
use super::wait_until_balanced::WaitLine;
use crate::color::Meaning;
use crate::exit::Outcome;
use crate::layout::{Columns, Heading};
use crate::output::{self, shown};
use crate::progress::TableReading;
use crate::spec::Expected;
use crate::text::{counted, parse_duration, tenths};

/// Maximum number of entries of a table whose rows are counted if they are uneven.
const MAX_ENTRIES: u64 = 10_000_000;

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// Condition for counting the rows, which reads them
    #[arg(long, value_enum, default_value_t)]
    rows: Rows,
    #[command(flatten)]
    limits: Limits,
    /// Print NOT OK and exit 1 if the rows are too few to prove that they are spread evenly, or are
    /// not counted
    #[arg(long)]
    require_rows: bool,
    /// Repeat the check until the table is OK, for at most this time, such as 60s; prints the last
    /// verdict
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    wait: Option<Duration>,
}

/// The accepted split points, the maximum loads, and the visible rows.
#[derive(Args, Debug)]
pub(super) struct Limits {
    /// Accept split points that no recipe asks for
    #[arg(long)]
    allow_extra_splits: bool,
    /// Maximum load of the fullest tablet and server as a multiple of the mean
    /// [default: max_skew of the spec if there is one, or else 2]
    #[arg(long, value_name = "NUMBER", value_parser = max_skew)]
    max_skew: Option<MaxSkew>,
    /// Label of visibilities to count rows with; repeat it for each
    #[arg(long = "authorization", value_name = "LABEL", value_parser = NonEmptyStringValueParser::new())]
    authorizations: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Rows {
    /// Count up to ten million entries; else use the tablets' own counts
    #[default]
    Auto,
    /// Always count
    Count,
    /// Count if the tablets' own counts are uneven and at most ten million
    Uneven,
    /// Use the tablets' own counts
    Skip,
}

impl Limits {
    /// Returns the options: the expectations of the spec, unless the command overrides them.
    pub(super) fn options(&self, expected: Expected, rows: Rows) -> VerifyOptions {
        let rows = match rows {
            Rows::Auto => RowCounting::default(),
            Rows::Count => RowCounting::All,
            Rows::Uneven => RowCounting::IfUneven(MAX_ENTRIES),
            Rows::Skip => RowCounting::Skip,
        };
        let max_skew = self.max_skew.unwrap_or(expected.max_skew);
        let options = Expected { max_skew, ..expected }.verify_options();
        options
            .rows(rows)
            .allow_extra_splits(self.allow_extra_splits)
            .authorizations(self.authorizations.iter().cloned().collect())
    }
}

/// Adds the known damage of an embedded directory, from which wrong data may have been read.
pub(super) fn with_damage(mut verdict: Verdict, unwritable: Option<Error>) -> Verdict {
    if let Some(damage) = unwritable.filter(|error| error.kind() == ErrorKind::Corrupt) {
        verdict.add(Difference::Damage { cause: format!("{damage} with `fluo table check`") });
    }
    verdict
}

fn max_skew(text: &str) -> Result<MaxSkew> {
    let number = text.parse().ok().and_then(|number| MaxSkew::new(number).ok());
    number.context("give a number from 1 to 1,000,000, such as 2")
}

impl VerifyArguments {
    pub(crate) async fn run(&self, table: Optimized) -> Result<Outcome> {
        let options = self.limits.options(table.expected, self.rows);
        let options = options.require_rows(self.require_rows);
        if let Some(limit) = self.wait {
            let differences = |verdict: &Verdict| {
                format!("{}, waiting", counted(verdict.differences.len(), "difference"))
            };
            let line = WaitLine::new("looking at the table");
            let verifying = table.optimizations.verify(&*table.tables, &table.table);
            let waiting = verifying.options(&options).until_laid_out(sleep).limit(limit);
            let laid_out = waiting.on_event(|event| line.show(&event, differences)).await;
            laid_out.map_err(|error| line.failure(error))?;
        }
        let tablets = table.tables.tablets(&table.table).await?;
        let servers = table.tables.servers().await?;
        let mut reading = TableReading::new("rows counted", tablets.clone());
        let verdict = table.optimizations.verify(&*table.tables, &table.table);
        let verdict = verdict.options(&options).layout(&tablets, &servers);
        let verdict = verdict.on_progress(|rows, last| reading.show(rows, last)).await;
        drop(reading);
        let verdict = with_damage(verdict?, table.unwritable);
        if output::is_json() {
            let mut json = serde_json::to_value(&verdict)?;
            output::add(&mut json, "differences", all_with_sentences(&verdict)?);
            let unproved = verdict.unproved.as_ref().map(with_sentence).transpose()?;
            output::add(&mut json, "unproved", unproved);
            output::print_json(&json)?;
        } else {
            describe(&verdict)?;
        }
        Ok(Outcome::of(verdict.ok))
    }
}

pub(crate) fn describe(verdict: &Verdict) -> Result<()> {
    if !verdict.ok {
        show!("{}\n", shown(&verdict.to_string()))?;
    }
    let splits = [verdict.wanted_splits, verdict.missing_splits.len(), verdict.extra_splits.len()];
    let [wanted, missing, extra] = splits.map(Grouped::new);
    show!("split points  {wanted} wanted, {missing} missing, {extra} extra")?;
    describe_properties(verdict)?;
    describe_groups(verdict)?;
    describe_rows(verdict)?;
    for difference in &verdict.differences {
        let remedy = match difference {
            Difference::RowsDenied { .. } => "; --rows skip leaves them out",
            _ => "",
        };
        show!("  ! {}", shown(&format!("{difference}{remedy}")))?;
    }
    if verdict.ok {
        return show!("{}.", shown(&verdict.to_string()));
    }
    let differences = counted(verdict.differences.len(), "difference");
    show!("NOT OK: {differences} on table {}.", shown(&verdict.table))
}

/// Returns the figures of a difference or another reason, and its words.
pub(super) fn with_sentence(reason: &(impl Serialize + Display)) -> Result<Value> {
    let mut json = serde_json::to_value(reason)?;
    output::add(&mut json, "sentence", reason.to_string());
    Ok(json)
}

pub(super) fn all_with_sentences(verdict: &Verdict) -> Result<Value> {
    verdict.differences.iter().map(with_sentence).collect()
}

fn describe_properties(verdict: &Verdict) -> Result<()> {
    let standing = if verdict.properties.is_empty() {
        "any, as no recipe has a group"
    } else if verdict.properties.iter().all(|property| property.is_as_expected) {
        "as expected"
    } else {
        "not as expected"
    };
    show!("balancer      {standing}")?;
    verdict.properties.iter().try_for_each(|property| {
        let sign = if property.is_as_expected { "=" } else { "!" };
        let found = property.found.as_deref().unwrap_or("(not set)");
        show!("              {sign} {}", shown(&format!("{} = {found}", property.name)))
    })
}

fn describe_groups(verdict: &Verdict) -> Result<()> {
    let mut table = Columns::new([
        Heading::Left("group"),
        Heading::Right("tablets"),
        Heading::Right("least"),
        Heading::Right("mean"),
        Heading::Right("largest"),
        Heading::Left("on a server"),
    ]);
    for group in &verdict.groups {
        let standing = if group.is_spread() { "spread" } else { "not spread" };
        let count = |count| Grouped::new(count).to_string();
        let bad = bad_if(!group.is_spread());
        table.painted_row(
            bad,
            [
                shown(&group.group),
                count(group.tablets),
                count(group.least),
                tenths(group.mean),
                count(group.largest),
                standing.to_owned(),
            ],
        );
    }
    show!("\n{}", table.lines())
}

fn describe_rows(verdict: &Verdict) -> Result<()> {
    let unit = if verdict.counted { "rows" } else { "entries" };
    let mut table = Columns::new([
        Heading::Left("load of"),
        Heading::Right(unit),
        Heading::Right("places"),
        Heading::Right("least"),
        Heading::Right("mean"),
        Heading::Right("largest"),
        Heading::Right("skew"),
        Heading::Left("fullest"),
        Heading::Left("evenness"),
    ]);
    for rows in &verdict.rows {
        let recipe = shown(&rows.recipe);
        let bad = bad_if(rows.load.standing == LoadStanding::TooFull);
        table.painted_row(bad, load_row(recipe, rows.least, &rows.load, evenness(rows)));
    }
    let least = verdict.rows_per_server.values().min().copied().unwrap_or_default();
    let bad = bad_if(verdict.servers.standing == LoadStanding::TooFull);
    let servers = load_row("the servers".to_owned(), least, &verdict.servers, String::new());
    table.painted_row(bad, servers);
    show!("\n{}\n", table.lines())
}

fn bad_if(is_bad: bool) -> Option<Meaning> {
    is_bad.then_some(Meaning::Bad)
}

fn load_row(name: String, least: u64, load: &Load, evenness: String) -> [String; 9] {
    [
        name,
        Grouped(load.total).to_string(),
        Grouped::new(load.places).to_string(),
        Grouped(least).to_string(),
        tenths(load.mean()),
        Grouped(load.largest).to_string(),
        load.skew.map_or_else(|| "-".to_owned(), |skew| format!("{skew:.2}")),
        match &load.fullest {
            None => "-".to_owned(),
            Some(Place::Server(server)) => server.clone(),
            Some(tablet) => tablet.to_string(),
        },
        evenness,
    ]
}

fn evenness(rows: &RowsVerdict) -> String {
    match (rows.chi_square, rows.load.standing) {
        (Some(test), _) => {
            let p_value = match test.p_value {
                0.001.. => format!("p = {:.3}", test.p_value),
                1e-300.. => format!("p = {:.1e}", test.p_value),
                _ => "p below 1e-300".to_owned(),
            };
            format!("chi-square {:.1}, {p_value}", test.statistic)
        }
        (_, LoadStanding::NotCompared) => "not compared".to_owned(),
        _ if !rows.load.counted => "rows were not counted".to_owned(),
        (_, LoadStanding::TooFewToTell) => "too few rows to tell".to_owned(),
        _ => "not tested".to_owned(),
    }
}
