//! Rows with a time that is counted down.

use fluo_keys::{ReverseTime, TimeEncoding, TimePosition};

use super::separators::frequent_starts;

/// Returns the forms of rows with a time that is counted down, if half of these rests look like
/// one.
pub(in super::super) fn times_of(rests: &[&[u8]]) -> Vec<ReverseTime> {
    let mut forms = Vec::new();
    for time in [TimePosition::Last, TimePosition::First] {
        for encoding in [TimeEncoding::Decimal, TimeEncoding::Binary] {
            let form = |separator| ReverseTime {
                time,
                encoding,
                separator,
                salt: None,
            };
            let without = form(String::new());
            let entities = rests
                .iter()
                .filter(|rest| is_counted_down(&without, rest))
                .filter_map(|rest| Some(parted(&without, rest)?.1));
            let entities: Vec<_> = entities.collect();
            if entities.is_empty() || entities.len() * 2 < rests.len() {
                continue;
            }
            let is_one = |times: &ReverseTime| {
                let is_time = |rest: &&&[u8]| is_counted_down(times, rest);
                rests.iter().filter(is_time).count() * 2 >= rests.len()
            };
            forms.extend(
                separators(time, &entities)
                    .into_iter()
                    .map(form)
                    .filter(is_one),
            );
        }
    }
    forms
}

/// Returns the texts that may separate entities from their times.
fn separators(time: TimePosition, entities: &[&[u8]]) -> Vec<String> {
    if time == TimePosition::First {
        return super::separators(entities);
    }
    let backwards = entities
        .iter()
        .map(|entity| entity.iter().rev().copied().collect());
    let backwards: Vec<Vec<u8>> = backwards.collect();
    let starts: Vec<_> = backwards.iter().map(Vec::as_slice).collect();
    frequent_starts(&starts)
        .into_iter()
        .map(|start| start.into_iter().rev().collect())
        .filter_map(|end| String::from_utf8(end).ok())
        .collect()
}

/// Returns the time of a row, and its entity with the separator.
fn parted<'a>(times: &ReverseTime, written: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let width = match times.encoding {
        TimeEncoding::Decimal => 19,
        TimeEncoding::Binary => 8,
    };
    match times.time {
        TimePosition::First => written.split_at_checked(width),
        TimePosition::Last => {
            let (entity, time) = written.split_at_checked(written.len().checked_sub(width)?)?;
            Some((time, entity))
        }
    }
}

/// Checks whether the row after a salt has a plausible time, counted down, at the place of the
/// form: in seconds, milliseconds or microseconds since 1970.
pub(in super::super) fn is_counted_down(times: &ReverseTime, written: &[u8]) -> bool {
    let separator = times.separator.as_bytes();
    let is_parted = |entity: &[u8]| match times.time {
        TimePosition::First => entity.starts_with(separator),
        TimePosition::Last => entity.ends_with(separator),
    };
    let time = parted(times, written)
        .filter(|(_, entity)| is_parted(entity))
        .map(|(time, _)| time);
    let left = time.and_then(|time| match times.encoding {
        TimeEncoding::Decimal => std::str::from_utf8(time).ok()?.parse::<i64>().ok(),
        TimeEncoding::Binary => Some(i64::from_be_bytes(time.try_into().ok()?)),
    });
    let is_of_our_days = |time: i64| {
        // 1985 to 2096.
        [1, 1_000, 1_000_000]
            .iter()
            .any(|unit| (480_000_000..4_000_000_000).contains(&(time / unit)))
    };
    left.is_some_and(|left| left >= 0 && is_of_our_days(i64::MAX - left))
}
