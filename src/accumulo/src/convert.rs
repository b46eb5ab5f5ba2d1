//! Conversions between the data types of the ports and those of the client of the proxy.

use accumulo_proxy as proxy;
use fluo_table::{
    Cell, Change, Column, ColumnSelector, Condition, ConditionalMutation, Key, Mutation, Result,
    Span, Update,
};

use crate::filter;

pub(crate) fn key(key: &Key) -> proxy::Key {
    let Column { family, qualifier, visibility } = key.column.clone();
    proxy::Key { row: key.row.clone(), family, qualifier, visibility, timestamp: key.timestamp }
}

pub(crate) fn cell(entry: proxy::Entry) -> Cell {
    let proxy::Key { row, family, qualifier, visibility, timestamp } = entry.key;
    let column = Column { family, qualifier, visibility };
    Cell::new(Key::new(row, column, timestamp), entry.value)
}

/// Converts a span to a range. Both are half open, and both use the same order of keys.
pub(crate) fn range(span: &Span) -> proxy::Range {
    proxy::Range::between(Some(key(span.start())), span.end().map(key))
}

pub(crate) fn scan_column(column: &ColumnSelector) -> proxy::ScanColumn {
    proxy::ScanColumn { family: column.family.clone(), qualifier: column.qualifier.clone() }
}

pub(crate) fn mutation(mutation: Mutation) -> proxy::Mutation {
    proxy::Mutation {
        row: mutation.row,
        updates: mutation.updates.into_iter().map(update).collect(),
    }
}

pub(crate) fn conditional(conditional: ConditionalMutation) -> Result<proxy::ConditionalMutation> {
    let conditions = conditional.conditions.into_iter().map(condition).collect::<Result<_>>()?;
    let proxy::Mutation { row, updates } = mutation(conditional.mutation);
    Ok(proxy::ConditionalMutation { row, conditions, updates })
}

fn update(update: Update) -> proxy::ColumnUpdate {
    let Column { family, qualifier, visibility } = update.column;
    proxy::ColumnUpdate {
        family,
        qualifier,
        visibility: Some(visibility),
        timestamp: update.timestamp,
        change: match update.change {
            Change::Put(value) => proxy::Change::Put(value),
            Change::Delete => proxy::Change::Delete,
        },
    }
}

fn condition(condition: Condition) -> Result<proxy::Condition> {
    let Column { family, qualifier, visibility } = condition.column;
    Ok(proxy::Condition {
        family,
        qualifier,
        visibility,
        timestamp: condition.timestamp,
        value: condition.expected,
        iterators: filter::iterators(condition.filter)?,
    })
}
