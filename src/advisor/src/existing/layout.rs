//! The tablets of a design in a table, recognized by its split points.

use std::ops::Range;

use fluo_keys::KeyDesign;
use fluo_table::{Bytes, Escaped};
use serde::{Serialize, Serializer};

use super::hashers::points_of;

/// The split points of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AdvisedLayout {
    /// The design's own split points for this many tablets.
    Tablets(u32),
    /// These points, which come from the sample or from the table. Serialized in the escaped form.
    SplitPoints(#[serde(serialize_with = "escaped")] Vec<Bytes>),
}

fn escaped<S: Serializer>(points: &[Bytes], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(points.iter().map(|point| Escaped(point).to_string()))
}

/// Returns the split points of a table for a design; `None` if none of them belongs to it. The
/// design's own points may be among others, where tablets grew.
pub(super) fn layout(design: &KeyDesign, splits: &[Bytes]) -> Option<AdvisedLayout> {
    let points: Vec<Bytes> = match design.row_hasher() {
        Some(hasher) => points_of(hasher.prefix(), splits).cloned().collect(),
        None => splits.to_vec(),
    };
    if points.is_empty() {
        return None;
    }
    Some(even(design, &points).map_or(AdvisedLayout::SplitPoints(points), AdvisedLayout::Tablets))
}

/// Returns the numbers of buckets that these split points can divide evenly: at most two. The last
/// tablet begins at bucket `(tablets - 1) * buckets / tablets`, rounded down. Points where tablets
/// grew are longer than the others.
pub(super) fn buckets_of(splits: &[Bytes]) -> Range<u32> {
    let width = splits.iter().map(Bytes::len).min();
    let own = splits.iter().filter(|split| Some(split.len()) == width);
    let range = || {
        let last: u64 = std::str::from_utf8(own.clone().next_back()?).ok()?.parse().ok()?;
        let before = u64::try_from(own.count()).ok()?;
        let least = |start: u64| {
            let buckets = start.checked_mul(before + 1)?.div_ceil(before);
            u32::try_from(buckets).ok()
        };
        Some(least(last)?..least(last.checked_add(1)?)?)
    };
    range().unwrap_or_default()
}

/// Returns the number of tablets whose points are most of these.
fn even(design: &KeyDesign, points: &[Bytes]) -> Option<u32> {
    let exact = |own: &[Bytes]| {
        // The last split point of a hasher ends its tablets.
        let others = usize::from(design.row_hasher().is_none());
        let tablets = u32::try_from(own.len() + others).ok()?;
        (design.splits(tablets).ok()? == own).then_some(tablets)
    };
    let grown = || {
        // All salts have one width; the last split point of a hasher is shorter.
        let width = design.splits(2).ok()?.first()?.len();
        let is_own = |point: &&Bytes| point.len() == width || point.ends_with(b":~");
        let own: Vec<Bytes> = points.iter().filter(is_own).cloned().collect();
        exact(&own).filter(|_| own.len() * 2 > points.len())
    };
    exact(points).or_else(grown)
}

#[cfg(test)]
mod tests {
    use fluo_keys::{DesignSettings, DigestSalt, HashScheme, HashedRows, RandomSalt};

    use super::*;

    fn laid_out(settings: impl Into<DesignSettings>, splits: &[Bytes]) -> Option<AdvisedLayout> {
        layout(&KeyDesign::new(settings).unwrap(), splits)
    }

    fn points(settings: impl Into<DesignSettings>, tablets: u32) -> Vec<Bytes> {
        KeyDesign::new(settings).unwrap().splits(tablets).unwrap()
    }

    #[test]
    fn recognizes_the_tablets_of_a_design_by_their_split_points() {
        let salt = DigestSalt::default;
        let even = |tablets| Some(AdvisedLayout::Tablets(tablets));
        assert_eq!(laid_out(salt(), &points(salt(), 20)), even(20));
        let hashed =
            |prefix: &str| HashedRows { prefix: prefix.to_owned(), scheme: HashScheme::default() };
        let mut two = points(hashed("a"), 5);
        two.extend(points(hashed("b"), 1));
        assert_eq!(laid_out(hashed("a"), &two), even(5));
        assert_eq!(laid_out(hashed("b"), &two), even(1));
        assert_eq!(laid_out(hashed("c"), &two), None);
    }

    /// Accumulo splits tablets that grow.
    #[test]
    fn counts_the_points_of_grown_tablets_separately() {
        let mut grown = points(DigestSalt::default(), 8);
        grown.extend(["83acme".into(), "a1user7".into()]);
        grown.sort();
        let layout = laid_out(DigestSalt::default(), &grown);
        assert_eq!(layout, Some(AdvisedLayout::Tablets(8)));
        let odd: Vec<Bytes> = vec!["33".into(), "34".into()];
        assert_eq!(laid_out(DigestSalt::default(), &odd), Some(AdvisedLayout::SplitPoints(odd)));
    }

    /// A plain table with split points of five digits took minutes: each of 10,000 numbers of
    /// buckets was compared with all keys, though the split points allow at most two.
    #[test]
    fn split_points_allow_at_most_two_numbers_of_buckets() {
        let points = ["20000", "40000", "60000", "80000"].map(Bytes::from);
        assert_eq!(buckets_of(&points), 100_000..100_002);
        for (buckets, tablets) in [(16, 8), (17, 8), (2, 2), (3, 2), (1_000, 7), (65_536, 65_536)] {
            let design = KeyDesign::new(RandomSalt::new(buckets)).unwrap();
            let range = buckets_of(&design.splits(tablets).unwrap());
            assert!(range.contains(&buckets), "{buckets} in {tablets}: {range:?}");
            assert!(range.len() <= 2, "{buckets} in {tablets}: {range:?}");
        }
        assert!(buckets_of(&["2000x".into()]).is_empty() && buckets_of(&[]).is_empty());
    }
}
