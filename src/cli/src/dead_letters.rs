//! Dead letters of queues and of notifications: their selection, their change and their listing.

use anyhow::{Result, bail};
use fluo_table::Column;
use serde_json::{Map, Value, json};

use crate::command_name::sibling;
use crate::encoding::Written;
use crate::text::counted;
use crate::{confirm, output};

#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Requeue,
    /// `yes` skips the confirmation.
    Discard {
        yes: bool,
    },
}

impl Change {
    pub(crate) fn of(self, count: u64) -> String {
        let changed = match self {
            Self::Requeue => "requeued",
            Self::Discard { .. } => "discarded",
        };
        format!("{changed} {}", counted(count, "dead letter"))
    }

    /// Asks for confirmation before all dead letters of an object, such as a queue, are discarded.
    pub(crate) async fn confirm_all(self, object: &str, name: &str) -> Result<()> {
        if !matches!(self, Self::Discard { yes: false }) {
            return Ok(());
        }
        let letters = format!("dead letters of {object} `{name}`");
        let question = format!("discard all {letters}?");
        confirm::deletion(&question, name, &format!("the {letters} were not discarded")).await
    }

    /// Prints the number of changed dead letters. Fails if there is none of the one that is
    /// `selected`.
    pub(crate) fn tell(self, count: u64, selected: Option<&str>) -> Result<()> {
        if let Some(selected) = selected.filter(|_| count == 0) {
            bail!("there is no dead letter of {selected}; `{}` lists all", sibling("failed"));
        }
        output::say(&self.of(count));
        output::print_result(&json!({ "dead_letters": count }))
    }
}

/// Formats an item as JSON, or its values with tabs between them.
pub(crate) fn line(item: &Value) -> Result<String> {
    if output::is_json() {
        return output::json_line(item);
    }
    let text = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => output::shown(text),
        other => other.to_string(),
    };
    let values = item.as_object().into_iter().flat_map(Map::values);
    Ok(values.map(text).collect::<Vec<_>>().join("\t"))
}

/// Formats a notification like [`line`], with its cell first.
pub(crate) fn notification(
    written: Written,
    (row, column): (&[u8], &Column),
    item: &Value,
) -> Result<String> {
    if !output::is_json() {
        return Ok(format!("{}\t{}", written.cell(row, column), line(item)?));
    }
    let mut all = json!({
        "row": written.shown(row),
        "family": written.shown(&column.family),
        "qualifier": written.shown(&column.qualifier),
        "visibility": written.shown(&column.visibility),
    });
    if let (Some(all), Some(item)) = (all.as_object_mut(), item.as_object()) {
        all.extend(item.clone());
    }
    line(&all)
}
