//! Dead letters of queues and of notifications: their change, and their fields in a list.

use anyhow::{Result, bail};
use fluo_table::Column;
use serde_json::{Value, json};

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

/// Returns the item of a notification for a list: its cell, and then its other fields.
pub(crate) fn notification(
    written: Written,
    (row, column): (&[u8], &Column),
    fields: Value,
) -> Value {
    let mut item = match output::is_json() {
        false => json!({ "cell": written.cell(row, column) }),
        true => json!({
            "row": written.shown(row),
            "family": written.shown(&column.family),
            "qualifier": written.shown(&column.qualifier),
            "visibility": written.shown(&column.visibility),
        }),
    };
    if let (Value::Object(item), Value::Object(fields)) = (&mut item, fields) {
        item.extend(fields);
    }
    item
}
