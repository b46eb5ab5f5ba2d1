//! `fluo app config`.

use std::io::{self, IsTerminal};

use anyhow::{Result, anyhow, ensure};
use clap::Args;
use fluo_recipes::stored_queue::StoredQueue;
use fluo_table::Escaped;
use fluo_table::coordination::{ObservedColumn, shown_settings};
use serde_json::json;

use super::lifecycle::{check_once, setting};
use crate::application::{NamedApplication, open};
use crate::output::shown;
use crate::{exit, names, output};

/// Print the settings of an application, one a line: `name = value`; or change some of them.
///
/// In a name, bytes that are not printable ASCII, backslashes and `=` are written \xNN. In a value,
/// characters that control a terminal are escaped, except with --json, and with --get into a pipe.
/// Passwords and secrets are masked.
///
/// Programs read the settings when they start. So a change needs that all programs of the
/// application have stopped. The number of buckets of a queue is changed by `fluo app rebucket`.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo app config --at embedded:./data web
  fluo app config --at embedded:./data --get limit web
  fluo app config --at embedded:./data --set limit=4 --unset color web")]
pub(crate) struct Config {
    #[command(flatten)]
    application: NamedApplication,
    /// Print the value of this setting alone
    #[arg(long, value_name = "NAME", conflicts_with_all = ["set", "unset"])]
    get: Option<String>,
    /// Set this setting. Repeat it for each
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Remove this setting. Repeat it for each
    #[arg(long, value_name = "NAME")]
    unset: Vec<String>,
}

impl Config {
    pub(crate) async fn run(&self) -> Result<()> {
        if !self.set.is_empty() || !self.unset.is_empty() {
            return self.change().await;
        }
        let stored = self.application.stored().await?;
        let settings = shown_settings(&stored.settings);
        if let Some(name) = &self.get {
            let known = || settings.keys().map(ToString::to_string);
            let value = settings.get(name.as_str()).ok_or_else(|| self.missing(name, known()))?;
            if output::is_json() {
                return output::print_json(&json!({ "setting": name, "value": value }));
            }
            return match io::stdout().is_terminal() {
                true => output::print_exactly(&shown(value)),
                false => output::print_exactly(value),
            };
        }
        if output::is_json() {
            let column = |observed: &ObservedColumn| {
                json!({
                    "family": Escaped(&observed.column.family).to_string(),
                    "qualifier": Escaped(&observed.column.qualifier).to_string(),
                    "visibility": Escaped(&observed.column.visibility).to_string(),
                    "kind": observed.kind.to_string(),
                    "id": observed.id,
                })
            };
            return output::print_json(&json!({
                "id": stored.id,
                "table": stored.table,
                "observers": stored.observers.iter().map(column).collect::<Vec<_>>(),
                "settings": settings,
            }));
        }
        settings.iter().try_for_each(|(name, value)| {
            let name = Escaped(name.as_bytes()).in_ascii_and(b"=");
            show!("{name} = {}", shown(value))
        })
    }

    /// Stores the changed settings, while no other program has the application open.
    async fn change(&self) -> Result<()> {
        check_once(self.set.iter().map(|(name, _)| name).chain(&self.unset))?;
        let (fluo, client) = self.application.client().await?;
        let coordination = open(&fluo, &self.application.name).await?;
        let _alone = coordination.exclude_others(client.transactor()).await?;
        let before = coordination.application().await?.settings;
        let mut settings = before.clone();
        for name in &self.unset {
            let known = || before.keys().cloned();
            settings.remove(name).ok_or_else(|| self.missing(name, known()))?;
        }
        settings.extend(self.set.iter().cloned());
        if let Ok(queues) = StoredQueue::all(&before) {
            let after = StoredQueue::all(&settings)?;
            for queue in queues {
                let is_same = |other: &StoredQueue| {
                    (other.id(), other.kind(), other.buckets())
                        == (queue.id(), queue.kind(), queue.buckets())
                };
                ensure!(
                    after.iter().any(is_same),
                    "the entries of queue `{}` are in {} buckets; `fluo app rebucket` changes their number",
                    queue.id(),
                    queue.buckets()
                );
            }
        }
        coordination.update_settings(settings.clone()).await?;
        let name = &self.application.name;
        say!("programs of application `{name}` see the change when they start");
        output::print_result(&json!({ "name": name, "settings": shown_settings(&settings) }))
    }

    fn missing(&self, name: &str, known: impl Iterator<Item = String>) -> anyhow::Error {
        let application = &self.application.name;
        let error = anyhow!("application `{application}` has no setting `{name}`");
        match names::nearest(name, known.collect::<Vec<_>>().iter().map(String::as_str)) {
            Some(near) => exit::advised(error, format!("did you mean `{near}`?")),
            None => error,
        }
    }
}
