//! Checks of a mutation before anything is sent.

use std::collections::HashSet;

use super::{visibility, wire_size};
use crate::data::{Bytes, ColumnUpdate, Condition, ConditionalMutation, Mutation};
use crate::error::ErrorKind;

/// Space for the header of a message and for the token of a login, without the part that the caller
/// adds.
const HEADER_BYTES: usize = 512;
/// Maximum number of bytes of a row that an error shows.
const SHOWN_ROW_BYTES: usize = 40;

/// The reason why a mutation cannot be sent.
pub(super) type Refusal = (ErrorKind, String);

#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    most_bytes: usize,
}

impl Limit {
    /// Creates the limit that remains for a mutation in a request after its header and
    /// `other_bytes`.
    pub(super) fn new(max_request_bytes: usize, other_bytes: usize) -> Self {
        Self { most_bytes: max_request_bytes.saturating_sub(HEADER_BYTES + other_bytes) }
    }

    /// Checks that a mutation can be sent, and returns its size in bytes.
    pub(super) fn check(self, mutation: &Mutation) -> Result<usize, Refusal> {
        let (row, updates) = (&mutation.row, &mutation.updates);
        check_updates(row, updates)?;
        self.check_bytes(row, wire_size::updates(row, updates))
    }

    /// Checks that a conditional mutation can be sent, and returns its size in bytes.
    pub(super) fn check_conditional(
        self,
        mutation: &ConditionalMutation,
    ) -> Result<usize, Refusal> {
        let ConditionalMutation { row, conditions, updates } = mutation;
        if conditions.is_empty() {
            return Err(invalid(row, "has no condition; write it without conditions"));
        }
        conditions.iter().try_for_each(|condition| check_condition(row, condition))?;
        check_updates(row, updates)?;
        let bytes = wire_size::updates(row, updates) + wire_size::conditions(conditions);
        self.check_bytes(row, bytes)
    }

    fn check_bytes(self, row: &Bytes, bytes: usize) -> Result<usize, Refusal> {
        let most = self.most_bytes;
        if bytes <= most {
            return Ok(bytes);
        }
        let row = shown(row);
        let reason = format!(
            "the mutation of the row `{row}` takes up to {bytes} bytes, a request has room for {most}"
        );
        Err((ErrorKind::TooLarge, reason))
    }
}

fn check_updates(row: &Bytes, updates: &[ColumnUpdate]) -> Result<(), Refusal> {
    if updates.is_empty() {
        return Err(invalid(row, "has no update"));
    }
    for visibility in updates.iter().filter_map(|update| update.visibility.as_ref()) {
        check_visibility(row, visibility)?;
    }
    Ok(())
}

/// Checks a condition. At conflicting iterators the proxy fails, and with it the call for all of
/// its rows.
fn check_condition(row: &Bytes, condition: &Condition) -> Result<(), Refusal> {
    check_visibility(row, &condition.visibility)?;
    let iterators = &condition.iterators;
    if iterators.iter().any(|iterator| iterator.priority < 1) {
        return Err(invalid(row, "has an iterator whose priority is below 1"));
    }
    let names: HashSet<_> = iterators.iter().map(|iterator| &iterator.name).collect();
    let priorities: HashSet<_> = iterators.iter().map(|iterator| iterator.priority).collect();
    if names.len().min(priorities.len()) < iterators.len() {
        let reason = "has two iterators with the same name or priority in one condition";
        return Err(invalid(row, reason));
    }
    Ok(())
}

fn check_visibility(row: &Bytes, expression: &Bytes) -> Result<(), Refusal> {
    visibility::check(expression).map_err(|reason| {
        let expression = shown(expression);
        invalid(row, &format!("has the visibility `{expression}`: {reason}"))
    })
}

fn invalid(row: &Bytes, reason: &str) -> Refusal {
    let reason = format!("the mutation of the row `{}` {reason}", shown(row));
    (ErrorKind::Invalid, reason)
}

fn shown(bytes: &Bytes) -> String {
    let start = bytes.get(..SHOWN_ROW_BYTES).unwrap_or(bytes);
    let more = if start.len() < bytes.len() { ".." } else { "" };
    format!("{}{more}", start.escape_ascii())
}
