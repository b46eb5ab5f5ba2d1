//! Descriptions of calls in a trace.

use fluo_core::layout::{EntryKind, EntryStamp, NOTIFICATION_FAMILY, NotificationStamp};
use fluo_core::{Escaped, Filter, Mutation, Scan, Update};

/// A mutation in one line: its row, and what each update puts.
pub(super) fn of_mutation(mutation: &Mutation) -> String {
    let shown = mutation.updates.iter().take(MOST_UPDATES);
    let updates: Vec<String> = shown.map(of_update).collect();
    let more = match mutation.updates.len().saturating_sub(MOST_UPDATES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} {}{more}", Escaped(&mutation.row), updates.join(", "))
}

/// Updates of a mutation that are shown: a wide row has thousands.
const MOST_UPDATES: usize = 24;

/// Checks whether a mutation only turns locks of a committed transaction into writes.
pub(super) fn rolls_forward(mutation: &Mutation) -> bool {
    let kinds = mutation
        .updates
        .iter()
        .filter_map(|update| EntryStamp::decode(update.timestamp?))
        .map(|stamp| stamp.kind);
    let mut kinds = kinds.peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == EntryKind::Write)
}

/// Mutations that are written together, in one line.
pub(super) fn of_mutations<'m>(mutations: impl IntoIterator<Item = &'m Mutation>) -> String {
    let rows: Vec<String> = mutations.into_iter().map(of_mutation).collect();
    rows.join("; ")
}

fn of_update(update: &Update) -> String {
    let column = &update.column;
    let timestamp = update.timestamp.unwrap_or_default();
    if column.family == NOTIFICATION_FAMILY {
        let stamp = NotificationStamp::decode(timestamp);
        return match stamp {
            Some(stamp) if stamp.is_delete => format!("ntfy withdrawn @{}", stamp.timestamp),
            Some(stamp) => format!("ntfy @{}", stamp.timestamp),
            None => format!("{column} @{timestamp}"),
        };
    }
    match EntryStamp::decode(timestamp) {
        Some(stamp) => format!("{column} {:?}@{}", stamp.kind, stamp.timestamp),
        None => format!("{column} @{timestamp}"),
    }
}

/// A scan in one line: where it begins, and through which filter.
pub(super) fn of_scan(scan: &Scan) -> String {
    let filter = match scan.filter_intent() {
        Filter::Snapshot { at } => format!("snapshot at {at}"),
        Filter::TransactionStatus { start } => format!("status of {start}"),
        Filter::OpenReadLocks => "read locks".to_owned(),
        other => format!("{other:?}"),
    };
    let rows: Vec<String> = scan
        .spans()
        .iter()
        .map(|span| Escaped(&span.start().row).to_string())
        .collect();
    format!("[{}] {filter}", rows.join(" "))
}
