//! `fluo table watch`.

use std::mem::discriminant;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail, ensure};
use clap::Args;
use fluo_keys::{Difference, TableOptimizations, Verdict, VerifyOptions};
use fluo_table::{ErrorKind, TableAdmin};
use serde_json::{Map, Value};
use tokio::time::sleep;

use super::plan::SpecTable;
use super::verify::{Limits, Rows, all_with_sentences, with_damage, with_sentence};
use crate::exit::{self, Outcome};
use crate::target::no_such_table;
use crate::text::{counted, parse_duration};
use crate::{output, spec};

/// The shortest interval: a check is not free for the servers.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Verify a table repeatedly, and print the changes.
///
/// The first line is the present state of the table. Then there is a line for each difference that
/// appears or is fixed, with the time in UTC. The command ends with Ctrl-C (exit code 130), when
/// the table is deleted (exit code 2) or, with --once, when the table does not match the spec (exit
/// code 1). If the table cannot be checked, this is printed once, and the watch continues; only the
/// first check must succeed. An embedded directory is open only during a check.
///
/// The checks are those of `fluo table verify`, but rows are counted only if the tablets' own
/// counts of entries are uneven, as these may be estimates or of deleted cells. --rows changes
/// this.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo table watch --at embedded:./data --spec pages.toml --interval 2s pages
  fluo table watch --at prod --spec pages.toml --once pages && echo never")]
pub(crate) struct Watch {
    #[command(flatten)]
    table: SpecTable,
    /// Pause between two checks, from 100ms on, such as 30s or 2m
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = parse_duration)]
    interval: Duration,
    /// End with exit code 1 as soon as the table does not match the spec
    #[arg(long)]
    once: bool,
    /// Condition for counting the rows at each check, which reads them
    #[arg(long, value_enum, default_value_t = Rows::Uneven)]
    rows: Rows,
    #[command(flatten)]
    limits: Limits,
}

impl Watch {
    pub(crate) async fn run(self) -> Result<Outcome> {
        ensure!(self.interval >= MIN_INTERVAL, misuse!("the interval is shorter than 100ms"));
        let name = &self.table.name;
        let (optimizations, expected) = spec::read(&self.table.spec)?;
        let options = self.limits.options(expected, self.rows);
        let mut connected = None;
        // An error of the first check is an error of the arguments.
        let first = self.look(&optimizations, &options, &mut connected).await?;
        let Some(first) = first else {
            let (tables, _) = self.table.target.open_checked().await?;
            return Err(no_such_table(&*tables, name).await?);
        };
        self.print(&Change::begin(&first)?)?;
        let mut changes = Changes { seen: first, error: None };
        while changes.seen.ok || !self.once {
            sleep(self.interval).await;
            let looked = match self.look(&optimizations, &options, &mut connected).await {
                Ok(Some(seen)) => Ok(seen),
                Ok(None) => {
                    self.print(&Change::new("deleted", "deleted"))?;
                    bail!("table `{name}` was deleted while it was watched");
                }
                Err(error) => Err(exit::sentence(&error)),
            };
            for change in changes.after(looked)? {
                self.print(&change)?;
            }
        }
        Ok(Outcome::Difference)
    }

    /// Checks the table once; `None` if it does not exist. Keeps the connection to an Accumulo.
    async fn look(
        &self,
        optimizations: &TableOptimizations,
        options: &VerifyOptions,
        connected: &mut Option<Arc<dyn TableAdmin>>,
    ) -> Result<Option<Verdict>> {
        let SpecTable { target, name, .. } = &self.table;
        let (tables, unwritable) = match connected {
            Some(tables) => (Arc::clone(tables), None),
            None => target.open_checked().await?,
        };
        *connected = target.is_live().then(|| Arc::clone(&tables));
        match optimizations.verify(&*tables, name).options(options).await {
            Ok(verdict) => Ok(Some(with_damage(verdict, unwritable))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn print(&self, change: &Change) -> Result<()> {
        let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let lines = change.lines(&time, &self.table.name, output::is_json())?;
        lines.iter().try_for_each(|line| match output::is_json() {
            true => output::emit(line),
            false => output::emit(&output::rendered(line)),
        })
    }
}

#[derive(Debug, PartialEq)]
struct Change {
    event: &'static str,
    texts: Vec<String>,
    data: Map<String, Value>,
}

impl Change {
    fn new(event: &'static str, text: impl Into<String>) -> Self {
        Self { event, texts: vec![text.into()], data: Map::new() }
    }

    fn with(mut self, name: &str, data: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), data.into());
        self
    }

    fn begin(verdict: &Verdict) -> Result<Self> {
        let begin = if verdict.ok {
            Self::ok("begin", verdict)?
        } else {
            let count = counted(verdict.differences.len(), "difference");
            let mut begin = Self::new("begin", format!("NOT OK: {count}"));
            let drift = verdict.differences.iter().map(|difference| format!("drift: {difference}"));
            begin.texts.extend(drift);
            begin
        };
        Ok(begin.with("differences", all_with_sentences(verdict)?))
    }

    fn ok(event: &'static str, verdict: &Verdict) -> Result<Self> {
        let Some(reason) = &verdict.unproved else {
            return Ok(Self::new(event, "OK"));
        };
        let ok = Self::new(event, format!("OK; {reason}, so evenness is not proved"));
        Ok(ok.with("unproved", with_sentence(reason)?))
    }

    fn difference(event: &'static str, word: &str, difference: &Difference) -> Result<Self> {
        let change = Self::new(event, format!("{word}: {difference}"));
        Ok(change.with("difference", with_sentence(difference)?))
    }

    fn cannot_look(reason: &str) -> Self {
        Self::new("cannot_look", format!("cannot look: {reason}")).with("reason", reason)
    }

    fn lines(&self, time: &str, table: &str, is_json: bool) -> Result<Vec<String>> {
        if !is_json {
            let line = |text| output::shown(&format!("{time} table {table}: {text}"));
            return Ok(self.texts.iter().map(line).collect());
        }
        let head = [("time", time), ("table", table), ("event", self.event)];
        let head = head.map(|(name, value)| (name.to_owned(), Value::from(value)));
        let line: Map<_, _> = head.into_iter().chain(self.data.clone()).collect();
        Ok(vec![output::json_line(&line)?])
    }
}

#[derive(Debug)]
struct Changes {
    seen: Verdict,
    error: Option<String>,
}

impl Changes {
    /// Returns the changes since the check before. A difference with other figures is not a change.
    fn after(&mut self, looked: Result<Verdict, String>) -> Result<Vec<Change>> {
        let seen = match looked {
            Ok(seen) => seen,
            Err(reason) if self.error.as_ref() == Some(&reason) => return Ok(Vec::new()),
            Err(reason) => {
                let change = Change::cannot_look(&reason);
                self.error = Some(reason);
                return Ok(vec![change]);
            }
        };
        let mut changes = Vec::new();
        if self.error.take().is_some() {
            changes.push(Change::new("looks_again", "looking again"));
        }
        for gone in self.seen.differences_since(&seen) {
            changes.push(Change::difference("gone", "fixed", gone)?);
        }
        for new in seen.differences_since(&self.seen) {
            changes.push(Change::difference("drift", "drift", new)?);
        }
        let reason = |verdict: &Verdict| verdict.unproved.as_ref().map(discriminant);
        if seen.ok && (!self.seen.ok || reason(&seen) != reason(&self.seen)) {
            changes.push(Change::ok("ok", &seen)?);
        }
        self.seen = seen;
        Ok(changes)
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::RowHasher;
    use fluo_table::{MemoryTables, Versions};

    use super::*;

    /// Returns a verdict without differences.
    async fn ok() -> Verdict {
        let tables = MemoryTables::new();
        tables.create_table("t", Versions::default()).await.unwrap();
        let hasher = RowHasher::new("p").unwrap();
        let optimizations = hasher.table_optimizations(4).unwrap();
        let plan = optimizations.plan(&tables, "t").await.unwrap();
        plan.apply(&tables).await.unwrap();
        let verdict = optimizations.verify(&tables, "t").await.unwrap();
        verdict.into_result().unwrap()
    }

    #[tokio::test]
    async fn reports_only_changes() {
        let ok = ok().await;
        let of = |recipe: &str, rows| Difference::ForeignRows {
            recipe: recipe.to_owned(),
            rows,
            first: "x".to_owned(),
        };
        let [a, b, c] = ["a", "b", "c"].map(|recipe| of(recipe, 1));
        let seen = |differences: &[&Difference]| {
            let mut verdict = ok.clone();
            for difference in differences.iter().rev() {
                verdict.add((*difference).clone());
            }
            verdict
        };
        let drift = |difference: &Difference| format!("drift: {difference}");
        let gone = |difference: &Difference| format!("fixed: {difference}");
        let mut changes = Changes { seen: seen(&[&a]), error: None };
        let cannot = |why: &str| Err(why.to_owned());
        let text = |text: &str| text.to_owned();
        let unproved = text("OK; it has no rows, so evenness is not proved");
        for (looked, expected) in [
            (Ok(seen(&[&a])), vec![]),
            // While rows were loaded, each check reported `fixed` and `drift` with other figures.
            (Ok(seen(&[&of("a", 1_000)])), vec![]),
            (Ok(seen(&[&a, &b])), vec![drift(&b)]),
            (cannot("no proxy"), vec![text("cannot look: no proxy")]),
            (cannot("no proxy"), vec![]),
            (cannot("no table"), vec![text("cannot look: no table")]),
            (Ok(seen(&[&c, &b])), vec![text("looking again"), gone(&a), drift(&c)]),
            (Ok(seen(&[])), vec![gone(&c), gone(&b), unproved]),
            (Ok(seen(&[])), vec![]),
        ] {
            let found = changes.after(looked).unwrap().into_iter().flat_map(|change| change.texts);
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
        let mut counted = ok.clone();
        counted.unproved = None;
        assert_eq!(changes.after(Ok(counted)).unwrap(), [Change::new("ok", "OK")]);
    }

    /// Checks the text and the JSON of some changes. The transcripts show a first check with
    /// differences.
    #[test]
    fn prints_each_change_with_its_time_and_its_data() {
        let missing = Difference::MissingSplits { splits: vec!["a".to_owned()] };
        let difference = r#""difference":{"kind":"missing_splits","splits":["a"],"sentence":"the split point `a` is missing"}"#;
        for (change, text, data) in [
            (
                Change::difference("gone", "fixed", &missing).unwrap(),
                "fixed: the split point `a` is missing",
                &*format!(r#""gone",{difference}"#),
            ),
            (
                Change::cannot_look("no\n proxy"),
                r"cannot look: no\n proxy",
                r#""cannot_look","reason":"no\n proxy""#,
            ),
            (Change::new("deleted", "deleted"), "deleted", r#""deleted""#),
        ] {
            let line = |is_json| change.lines("2025-12-31T23:59:59Z", "t", is_json).unwrap();
            assert_eq!(line(false), [format!("2025-12-31T23:59:59Z table t: {text}")]);
            let start = r#"{"format":1,"time":"2025-12-31T23:59:59Z","table":"t","event":"#;
            assert_eq!(line(true), [format!("{start}{data}}}")]);
        }
    }
}
