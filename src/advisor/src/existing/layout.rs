//! The tablets of a design in a table, recognised by its split points.

use std::ops::Range;

use fluo_keys::{DesignSettings, KeyDesign, WebTable};
use fluo_table::Bytes;

use super::hashers::points_of;

/// The split points of a table for a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// At the design's own points for this many tablets, and at some others.
    Even {
        /// The number of tablets.
        tablets: u32,
        /// The number of other points, such as those where a tablet split because it grew.
        others: usize,
    },
    /// At points that are not the design's own for any number of tablets.
    At(Vec<Bytes>),
}

/// Returns the split points of a table for a design, and the design with the settings that its
/// points show; `None` if no split point belongs to the design.
pub(super) fn layout(
    settings: &DesignSettings,
    splits: &[Bytes],
) -> Option<(DesignSettings, Layout)> {
    let design = KeyDesign::new(settings.clone()).ok()?;
    let points: Vec<Bytes> = match design.row_hasher() {
        Some(hasher) => points_of(hasher.prefix(), splits).cloned().collect(),
        None => splits.to_vec(),
    };
    if points.is_empty() {
        return None;
    }
    let even = even(settings, &points).or_else(|| {
        // Guides also print a point before the first salt.
        let DesignSettings::WebTable(web) = settings else {
            return None;
        };
        let leading = WebTable {
            leading_point: true,
            ..web.clone()
        };
        even(&leading.into(), &points)
    });
    Some(even.unwrap_or_else(|| (settings.clone(), Layout::At(points))))
}

/// Checks whether a table is split at the design's own points.
pub(super) fn is_even(settings: &DesignSettings, splits: &[Bytes]) -> bool {
    matches!(layout(settings, splits), Some((_, Layout::Even { .. })))
}

/// Returns the numbers of buckets that these split points can divide evenly: at most two. The last
/// tablet begins at bucket `(tablets - 1) * buckets / tablets`, rounded down.
pub(super) fn buckets_of(splits: &[Bytes]) -> Option<Range<u32>> {
    let last: u64 = std::str::from_utf8(splits.last()?).ok()?.parse().ok()?;
    let before = u64::try_from(splits.len()).ok()?;
    let least = |start: u64| {
        let buckets = start.checked_mul(before + 1)?.div_ceil(before);
        u32::try_from(buckets).ok()
    };
    Some(least(last)?..least(last.checked_add(1)?)?)
}

/// Returns the number of tablets whose points are among these, and the number of other points.
fn even(settings: &DesignSettings, points: &[Bytes]) -> Option<(DesignSettings, Layout)> {
    let design = KeyDesign::new(settings.clone()).ok()?;
    let exact = |own: &[Bytes]| {
        let tablets = tablets(&design, settings, own.len())?;
        let wanted = design.splits(tablets).ok()?;
        (wanted == own).then_some(tablets)
    };
    let with = |tablets, others| (settings.clone(), Layout::Even { tablets, others });
    if let Some(tablets) = exact(points) {
        return Some(with(tablets, 0));
    }
    // All salts have one width; the last split point of a hasher is shorter.
    let width = design.splits(2).ok()?.first()?.len();
    let is_own = |point: &&Bytes| point.len() == width || point.ends_with(b":~");
    let own: Vec<Bytes> = points.iter().filter(is_own).cloned().collect();
    let tablets = exact(&own).filter(|_| own.len() * 2 > points.len())?;
    Some(with(tablets, points.len() - own.len()))
}

/// Returns the number of tablets for this many points.
fn tablets(design: &KeyDesign, settings: &DesignSettings, points: usize) -> Option<u32> {
    let has_end = design.row_hasher().is_some();
    let has_leading = matches!(settings, DesignSettings::WebTable(web) if web.leading_point);
    let points = u32::try_from(points).ok()?;
    if has_end || has_leading {
        Some(points)
    } else {
        points.checked_add(1)
    }
}

#[cfg(test)]
mod tests {
    use fluo_keys::{DigestSalt, HashScheme, HashedRows, RandomSalt};

    use super::*;

    fn laid_out(settings: impl Into<DesignSettings>, splits: &[Bytes]) -> Option<Layout> {
        layout(&settings.into(), splits).map(|(_, layout)| layout)
    }

    fn points(settings: impl Into<DesignSettings>, tablets: u32) -> Vec<Bytes> {
        KeyDesign::new(settings).unwrap().splits(tablets).unwrap()
    }

    #[test]
    fn recognises_the_tablets_of_a_design_by_their_split_points() {
        let salt = DigestSalt::default;
        let even = |tablets, others| Some(Layout::Even { tablets, others });
        assert_eq!(laid_out(salt(), &points(salt(), 20)), even(20, 0));
        let leading = WebTable {
            leading_point: true,
            ..WebTable::default()
        };
        let (settings, layout) =
            layout(&WebTable::default().into(), &points(leading.clone(), 16)).unwrap();
        assert_eq!((settings, Some(layout)), (leading.into(), even(16, 0)));
        let hashed = |prefix: &str| HashedRows {
            prefix: prefix.to_owned(),
            scheme: HashScheme::default(),
        };
        let mut two = points(hashed("a"), 5);
        two.extend(points(hashed("b"), 1));
        assert_eq!(laid_out(hashed("a"), &two), even(5, 0));
        assert_eq!(laid_out(hashed("b"), &two), even(1, 0));
        assert_eq!(laid_out(hashed("c"), &two), None);
    }

    /// Accumulo splits tablets that grow.
    #[test]
    fn counts_the_points_of_grown_tablets_separately() {
        let mut grown = points(DigestSalt::default(), 8);
        grown.extend(["83acme".into(), "a1user7".into()]);
        grown.sort();
        let layout = laid_out(DigestSalt::default(), &grown);
        assert_eq!(
            layout,
            Some(Layout::Even {
                tablets: 8,
                others: 2
            })
        );
        let odd: Vec<Bytes> = vec!["33".into(), "34".into()];
        assert_eq!(laid_out(DigestSalt::default(), &odd), Some(Layout::At(odd)));
    }

    /// A plain table with split points of five digits took minutes: each of 10,000 numbers of
    /// buckets was compared with all keys, though the split points allow at most two.
    #[test]
    fn split_points_allow_at_most_two_numbers_of_buckets() {
        let points = ["20000", "40000", "60000", "80000"].map(Bytes::from);
        assert_eq!(buckets_of(&points), Some(100_000..100_002));
        for (buckets, tablets) in [
            (16, 8),
            (17, 8),
            (2, 2),
            (3, 2),
            (1_000, 7),
            (65_536, 65_536),
        ] {
            let design = KeyDesign::new(RandomSalt::new(buckets)).unwrap();
            let range = buckets_of(&design.splits(tablets).unwrap()).unwrap();
            assert!(
                range.contains(&buckets),
                "{buckets} in {tablets}: {range:?}"
            );
            assert!(range.len() <= 2, "{buckets} in {tablets}: {range:?}");
        }
        assert_eq!(buckets_of(&["2000x".into()]), None);
        assert_eq!(buckets_of(&[]), None);
    }
}
