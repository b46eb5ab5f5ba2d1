//! Random operations, drawn from small alphabets.

use std::num::{NonZeroU32, NonZeroUsize};

use fluo_table::{
    Bytes, Change, Column, ColumnSelector, Condition, ConditionalMutation, Filter, Key, Mutation,
    Scan, Span, Update, Versions,
};

use super::random::Random;

const ROWS: [&[u8]; 6] = [b"", b"a", b"a\0", b"ab", b"b", b"\xff"];
const FAMILIES: [&str; 2] = ["", "f"];
const QUALIFIERS: [&str; 3] = ["", "q", "q\0"];
const VISIBILITIES: [&str; 5] = ["", "", "A", "A&B", "A|B"];
const WRONG_VISIBILITY: &str = "A&";
const TIMESTAMPS: [i64; 6] = [i64::MIN, -1, 0, 1, 2, i64::MAX];
const VALUES: [&str; 3] = ["", "x", "y"];

#[derive(Clone, Debug)]
pub(super) enum Operation {
    Write(Vec<Mutation>),
    WriteConditional(Reader, Vec<ConditionalMutation>),
    Scan(Reader, Scan),
    AddSplits(Vec<Bytes>),
    Merge(Option<Bytes>, Option<Bytes>),
    SetVersions(Versions),
    SetProperty(&'static str),
    RemoveProperty,
    Flush,
    Compact,
    /// Deletes the table and creates it again, and keeps the handles on the old one.
    Replace(Versions),
}

/// The handle that an operation uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Unauthorized,
    WithA,
    WithAAndB,
    /// A handle on the table before the last replacement, or on the table if there was none.
    OfOldTable,
}

impl Operation {
    pub(super) fn draw(random: &mut Random) -> Self {
        match random.below(100) {
            0..32 => Self::Write(random.several(0, 3, mutation)),
            32..56 => Self::WriteConditional(reader(random), random.several(0, 3, conditional)),
            56..86 => Self::Scan(reader(random), scan(random)),
            86..90 => Self::AddSplits(random.several(0, 3, row)),
            90..93 => Self::Merge(random.maybe(row), random.maybe(row)),
            93..95 => Self::SetVersions(versions(random)),
            95 => Self::SetProperty(random.pick(&VALUES)),
            96 => Self::RemoveProperty,
            97 => Self::Flush,
            98 => Self::Compact,
            _ => Self::Replace(versions(random)),
        }
    }

    pub(super) fn everything() -> Self {
        Self::Scan(Reader::WithAAndB, Scan::over(Span::all()))
    }
}

fn reader(random: &mut Random) -> Reader {
    let often = [Reader::Unauthorized, Reader::WithA, Reader::WithAAndB];
    if random.one_in(20) { Reader::OfOldTable } else { random.pick(&often) }
}

fn row(random: &mut Random) -> Bytes {
    Bytes::from_static(random.pick(&ROWS))
}

fn column(random: &mut Random) -> Column {
    let column = Column::new(random.pick(&FAMILIES), random.pick(&QUALIFIERS));
    column.with_visibility(random.pick(&VISIBILITIES))
}

fn timestamp(random: &mut Random) -> i64 {
    random.pick(&TIMESTAMPS)
}

fn key(random: &mut Random) -> Key {
    Key::new(row(random), column(random), timestamp(random))
}

fn mutation(random: &mut Random) -> Mutation {
    let row = row(random);
    let least = usize::from(!random.one_in(60));
    let updates = random.several(least, 3, update);
    Mutation { row, updates }
}

fn update(random: &mut Random) -> Update {
    let mut column = column(random);
    if random.one_in(200) {
        column.visibility = WRONG_VISIBILITY.into();
    }
    let change = match random.one_in(4) {
        true => Change::Delete,
        false => Change::Put(random.pick(&VALUES).into()),
    };
    Update { column, timestamp: Some(timestamp(random)), change }
}

fn conditional(random: &mut Random) -> ConditionalMutation {
    let mutation = mutation(random);
    let least = usize::from(!random.one_in(60));
    let conditions = random.several(least, 2, condition);
    ConditionalMutation { mutation, conditions }
}

fn condition(random: &mut Random) -> Condition {
    let is_absent = random.one_in(2);
    let expected = (!is_absent).then(|| random.pick(&VALUES).into());
    let column = column(random);
    let timestamp = random.one_in(3).then(|| timestamp(random));
    Condition { column, timestamp, expected, filter: fluo_table::Filter::None }
}

fn scan(random: &mut Random) -> Scan {
    let most = if random.one_in(3) { 3 } else { 1 };
    let scan = Scan::over_all(random.several(usize::from(most == 1), most, span));
    let most_columns = random.pick(&[0, 0, 2]);
    let columns = random.several(0, most_columns, selector);
    let scan = columns.into_iter().fold(scan, Scan::column);
    let filter = random.pick(&[Filter::None, Filter::None, Filter::FirstOfRow]);
    let batch_cells = NonZeroUsize::new(random.pick(&[1, 2, 5, 1_000])).unwrap();
    scan.filter(filter).batch_cells(batch_cells)
}

fn span(random: &mut Random) -> Span {
    match random.below(10) {
        0 | 1 => Span::all(),
        2 => Span::row(row(random)),
        3 => Span::rows(row(random), random.maybe(row)),
        4 => Span::prefix(row(random)),
        5 => Span::cell(row(random), &column(random)),
        6..9 => Span::between(key(random), random.maybe(key)),
        _ => Span::between(key(random).successor(), None),
    }
}

fn selector(random: &mut Random) -> ColumnSelector {
    let family = random.pick(&FAMILIES);
    match random.one_in(2) {
        true => ColumnSelector::family(family),
        false => ColumnSelector::qualifier(family, random.pick(&QUALIFIERS)),
    }
}

fn versions(random: &mut Random) -> Versions {
    match random.below(4) {
        0 => Versions::All,
        count => Versions::Latest(NonZeroU32::new(u32::try_from(count).unwrap()).unwrap()),
    }
}
