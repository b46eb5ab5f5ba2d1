//! Laws for rows whose time is counted down.

use std::cmp::Ordering;

use fluo_table::Bytes;
use proptest::prelude::*;
use proptest::sample::select;

use super::{Case, by_bytes, cut, sets_of};
use crate::{
    DigestSalt, KeyDesign, Modulo, ReverseTime, RowSelection, SaltSettings, SaltedPart,
    TimeEncoding, TimePosition,
};

/// A row, split by its known shape and not by the design.
#[derive(Clone, Copy)]
struct Shape {
    place: TimePosition,
    encoding: TimeEncoding,
    separator: &'static str,
}

impl Shape {
    fn time(self, time: i64) -> Vec<u8> {
        match self.encoding {
            TimeEncoding::Decimal => time.to_string().into_bytes(),
            TimeEncoding::Binary => time.to_be_bytes().to_vec(),
        }
    }

    fn read_time(self, time: &[u8]) -> i64 {
        match self.encoding {
            TimeEncoding::Decimal => std::str::from_utf8(time).unwrap().parse().unwrap(),
            TimeEncoding::Binary => i64::from_be_bytes(time.try_into().unwrap()),
        }
    }

    fn row(self, entity: &str, time: i64) -> Bytes {
        let (entity, time) = (entity.as_bytes(), self.time(time));
        let separator = self.separator.as_bytes();
        match self.place {
            TimePosition::Last => [entity, separator, &time].concat(),
            TimePosition::First => [&time, separator, entity].concat(),
        }
        .into()
    }

    /// Returns the entity (with its separator if the time is last) and the time.
    fn parts(self, row: &[u8]) -> (&[u8], i64) {
        let separator = self.separator.as_bytes();
        let found = |from: usize| {
            let windows = row[from..].windows(separator.len().max(1));
            from + windows.take_while(|window| !window.starts_with(separator)).count()
        };
        match (self.place, self.encoding) {
            (TimePosition::Last, _) => {
                let (entity, time) = row.split_at(found(0) + separator.len());
                (entity, self.read_time(time))
            }
            (TimePosition::First, TimeEncoding::Decimal) => {
                let end = found(0);
                (&row[end + separator.len()..], self.read_time(&row[..end]))
            }
            (TimePosition::First, TimeEncoding::Binary) => {
                (&row[8 + separator.len()..], self.read_time(&row[..8]))
            }
        }
    }

    fn rows(
        self,
        row: impl Strategy<Value = Bytes> + Clone + 'static,
    ) -> BoxedStrategy<RowSelection> {
        let prefix = move |row: &Bytes| match self.place {
            TimePosition::Last => Bytes::copy_from_slice(self.parts(row).0),
            TimePosition::First => Bytes::new(),
        };
        let bound =
            move || proptest::option::of(time().prop_map(move |time| self.time(time).into()));
        let between = (row.clone(), bound(), bound()).prop_map(move |(row, from, to)| {
            let prefix = prefix(&row);
            RowSelection::Between { prefix, from, to }
        });
        // The text before the second part: the time and the separator, if the time is first.
        let head = row.clone().prop_map(move |row| match self.place {
            TimePosition::Last => RowSelection::Prefix(prefix(&row)),
            TimePosition::First => {
                RowSelection::Prefix(row.slice(..row.len() - self.parts(&row).0.len()))
            }
        });
        let anywhere = (cut(row.clone()), bound(), bound())
            .prop_map(|(prefix, from, to)| RowSelection::Between { prefix, from, to });
        prop_oneof![
            4 => sets_of(row),
            2 => head,
            4 => between,
            1 => anywhere,
        ]
        .boxed()
    }

    fn holds(self, rows: &RowSelection, row: &[u8]) -> bool {
        let RowSelection::Between { prefix, from, to } = rows else {
            return by_bytes(rows, row);
        };
        let (entity, time) = self.parts(row);
        let entity_is_right = match self.place {
            TimePosition::Last => entity == prefix,
            TimePosition::First => prefix.is_empty(),
        };
        let from_is_right = from.as_ref().is_none_or(|from| time >= self.read_time(from));
        let to_is_right = to.as_ref().is_none_or(|to| time < self.read_time(to));
        entity_is_right && from_is_right && to_is_right
    }

    /// Checks whether the prefix of a set ends right before a time.
    fn ends_before_a_time(self, rows: &RowSelection) -> bool {
        let (RowSelection::Between { prefix, .. }, separator) = (rows, self.separator.as_bytes())
        else {
            return true;
        };
        let mut windows = prefix.windows(separator.len().max(1));
        match self.place {
            TimePosition::First => prefix.is_empty(),
            TimePosition::Last => {
                let found = windows.position(|window| window == separator);
                found.is_some_and(|found| found + separator.len() == prefix.len())
            }
        }
    }

    fn order(self, a: &[u8], b: &[u8]) -> Ordering {
        let ((entity_a, time_a), (entity_b, time_b)) = (self.parts(a), self.parts(b));
        let (by_entity, newest_first) = (entity_a.cmp(entity_b), time_b.cmp(&time_a));
        match self.place {
            TimePosition::Last => by_entity.then(newest_first),
            TimePosition::First => newest_first.then(by_entity),
        }
    }

    fn case(self, salt: Option<SaltSettings>) -> Case {
        let settings = ReverseTime {
            time: self.place,
            encoding: self.encoding,
            separator: self.separator.to_owned(),
            salt,
        };
        // An entity before its time cannot contain the separator, nor end with the beginning of it.
        let entities = match self.place {
            TimePosition::Last => vec!["", "a", "a!", "a~", "b1", "1", "\u{10ffff}"],
            TimePosition::First => vec!["", "a", "|", "a|1", "||1", "1", "1|", "~"],
        };
        let row = (select(entities), time()).prop_map(move |(entity, time)| self.row(entity, time));
        Case {
            rows: self.rows(row.clone()),
            holds: Box::new(move |rows, row| self.holds(rows, row)),
            may_refuse: Box::new(move |rows| !self.ends_before_a_time(rows)),
            order: Box::new(move |a, b| self.order(a, b)),
            ..Case::new(KeyDesign::new(settings).unwrap(), row)
        }
    }
}

fn time() -> impl Strategy<Value = i64> + Clone + 'static {
    let edges = vec![0, 1, 2, 9, 10, 11, 99, 100, 1_696_744_051_903, i64::MAX - 1, i64::MAX];
    prop_oneof![4 => select(edges), 1 => 0..i64::MAX]
}

fn shape(place: TimePosition, encoding: TimeEncoding, separator: &'static str) -> Shape {
    Shape { place, encoding, separator }
}

pub(super) fn cases() -> Vec<Case> {
    let digest = |over| {
        let settings = DigestSalt { digits: 1, over, ..DigestSalt::default() };
        Some(SaltSettings::from(settings))
    };
    let modulo = Modulo { over: SaltedPart::Entity, ..Modulo::default() };
    let (last, first) = (TimePosition::Last, TimePosition::First);
    let (decimal, binary) = (TimeEncoding::Decimal, TimeEncoding::Binary);
    vec![
        shape(last, decimal, "|").case(None),
        shape(last, decimal, "||").case(None),
        shape(last, binary, "\0").case(None),
        shape(first, decimal, "|").case(None),
        shape(first, decimal, "||").case(None),
        shape(first, binary, "|").case(None),
        shape(first, binary, "").case(None),
        shape(last, decimal, "|").case(digest(SaltedPart::Entity)),
        shape(last, binary, "|").case(Some(modulo.into())),
        shape(last, decimal, "|").case(digest(SaltedPart::Whole)),
        shape(first, decimal, "|").case(digest(SaltedPart::Entity)),
    ]
}
