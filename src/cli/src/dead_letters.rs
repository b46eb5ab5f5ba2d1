//! Dead letters of queues and of notifications: their selection, their change and their listing.

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;

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
    /// Describes the change of this number of dead letters.
    pub(crate) fn of(self, count: u64) -> String {
        let letters = plural(count, "dead letter");
        match self {
            Self::Requeue => format!("requeued {letters}"),
            Self::Discard => format!("discarded {letters}"),
        }
    }

    /// Prints the number of changed dead letters.
    ///
    /// # Errors
    ///
    /// There is none of `selected`, which is `None` for all. `list` is the command that lists them.
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
    /// Prints an item as JSON, or as its fields with tabs between them.
    pub(crate) fn print<const N: usize>(
        self,
        item: &impl Serialize,
        fields: [&dyn ToString; N],
    ) -> Result<()> {
        output::emit(&match self.json {
            true => output::json_line(item)?,
            false => fields
                .map(|field| output::shown(&field.to_string()))
                .join("\t"),
        })
    }
}
