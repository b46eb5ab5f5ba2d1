//! Dead letters of queues and of notifications: their selection, their change and their listing.

use anyhow::{Result, bail};
use clap::Args;
use serde_json::Value;

use crate::output;
use crate::text::plural;

/// The dead letters that `T` selects, or all of them.
#[derive(Args, Debug)]
pub(crate) struct Selected<T: Args> {
    #[command(flatten)]
    pub(crate) one: T,
    /// All dead letters
    #[arg(long)]
    all: bool,
}

/// A change of dead letters.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Requeue,
    Discard,
}

impl Change {
    pub(crate) fn of(self, count: u64) -> String {
        let letters = plural(count, "dead letter");
        match self {
            Self::Requeue => format!("requeued {letters}"),
            Self::Discard => format!("discarded {letters}"),
        }
    }

    /// Prints the number of changed dead letters, unless there is none of those `selected`.
    pub(crate) fn tell(self, count: u64, selected: Option<&str>, list: &str) -> Result<()> {
        match selected {
            Some(selected) if count == 0 => {
                bail!("there is no dead letter of {selected}; `{list}` lists all")
            }
            _ => output::say(&self.of(count)),
        }
        Ok(())
    }
}

/// The format of a list.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ListFormat {
    /// Print each as a JSON object on a line
    #[arg(long)]
    json: bool,
}

impl ListFormat {
    /// Formats an item as JSON, or some of its fields with tabs between them, after a first text.
    pub(crate) fn line(
        self,
        item: &Value,
        first: Option<String>,
        fields: &[&str],
    ) -> Result<String> {
        if self.json {
            return output::json_line(item);
        }
        let fields = fields.iter().map(|name| match item.get(*name).unwrap_or(&Value::Null) {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let texts = first.into_iter().chain(fields);
        Ok(texts.map(|text| output::shown(&text)).collect::<Vec<_>>().join("\t"))
    }
}
