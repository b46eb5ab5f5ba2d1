//! Descriptions of calls in a trace.

use std::fmt::{self, Write};

use fluo_table::layout::{EntryKind, EntryTimestamp, NOTIFICATION_FAMILY, NotificationTimestamp};
use fluo_table::{Escaped, Filter, Mutation, Scan, Update};

/// A mutation in one line: its row, and what each update puts.
pub(super) fn of_mutation(mutation: &Mutation) -> String {
    of_mutations([mutation])
}

/// Updates of a mutation that are shown: a wide row has thousands.
const MAX_UPDATES: usize = 24;

/// Checks whether a mutation only turns locks of a committed transaction into writes.
pub(super) fn rolls_forward(mutation: &Mutation) -> bool {
    let kinds = mutation
        .updates
        .iter()
        .filter_map(|update| EntryTimestamp::decode(update.timestamp?))
        .map(|stamp| stamp.kind);
    let mut kinds = kinds.peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == EntryKind::Write)
}

/// Mutations that are written together, in one line.
pub(super) fn of_mutations<'m>(mutations: impl IntoIterator<Item = &'m Mutation>) -> String {
    let mut line = String::new();
    for mutation in mutations {
        if !line.is_empty() {
            line.push_str("; ");
        }
        // A string takes everything.
        let _ = add_mutation(&mut line, mutation);
    }
    line
}

fn add_mutation(line: &mut String, mutation: &Mutation) -> fmt::Result {
    write!(line, "{} ", Escaped(&mutation.row))?;
    for (number, update) in mutation.updates.iter().take(MAX_UPDATES).enumerate() {
        if number > 0 {
            line.push_str(", ");
        }
        add_update(line, update)?;
    }
    match mutation.updates.len().saturating_sub(MAX_UPDATES) {
        0 => Ok(()),
        more => write!(line, " and {more} more"),
    }
}

fn add_update(line: &mut String, update: &Update) -> fmt::Result {
    let column = &update.column;
    let timestamp = update.timestamp.unwrap_or_default();
    if column.family == NOTIFICATION_FAMILY {
        let stamp = NotificationTimestamp::decode(timestamp);
        return match stamp {
            Some(stamp) if stamp.is_delete => write!(line, "ntfy withdrawn @{}", stamp.timestamp),
            Some(stamp) => write!(line, "ntfy @{}", stamp.timestamp),
            None => write!(line, "{column} @{timestamp}"),
        };
    }
    match EntryTimestamp::decode(timestamp) {
        Some(stamp) => write!(line, "{column} {:?}@{}", stamp.kind, stamp.timestamp),
        None => write!(line, "{column} @{timestamp}"),
    }
}

/// A scan in one line: where it begins, and through which filter.
pub(super) fn of_scan(scan: &Scan) -> String {
    let filter = match scan.filter {
        Filter::Snapshot { at } => format!("snapshot at {at}"),
        Filter::TransactionStatus { start } => format!("status of {start}"),
        Filter::OpenReadLocks => "read locks".to_owned(),
        other => format!("{other:?}"),
    };
    let rows: Vec<String> =
        scan.spans().iter().map(|span| Escaped(&span.start().row).to_string()).collect();
    format!("[{}] {filter}", rows.join(" "))
}
