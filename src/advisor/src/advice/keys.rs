//! The findings about a profile.

use fluo_table::Bytes;

use super::evenness::is_hot;
use super::finding::{
    ASCENDING, DesignFinding, Finding, OrderFinding, RepeatedFinding, TableFinding,
};
use super::key_share::KeyShare;
use super::options::AdviceOptions;
use crate::existing::Existing;
use crate::number::{count, share};
use crate::profile::{Arrivals, FieldCut};
use crate::{Distinct, KeyProfile};

/// The rank correlation from which keys are ascending even if fewer of them are greater than the
/// one before.
const CORRELATED: f64 = 0.5;
/// The share of keys from which a leading field is hot for a table.
const HOT_SHARE: f64 = 0.2;
/// The size of the timestamp of a cell.
const TIMESTAMP_BYTES: u64 = 8;

/// Returns the findings about a profile.
pub(super) fn findings(
    profile: &KeyProfile,
    options: &AdviceOptions,
    tablets: u32,
    existing: &Existing,
) -> Vec<Finding> {
    if profile.keys == 0 {
        return vec![Finding::NoKeys];
    }
    let mut all = vec![Finding::Keys {
        keys: profile.keys,
        distinct: profile.distinct.clone(),
        lengths: profile.lengths.clone(),
        alphabet: profile.alphabet.all,
    }];
    all.extend(lengths(profile));
    all.push(size(profile, options));
    all.extend((profile.ending_in_return == profile.keys).then_some(Finding::CarriageReturns));
    all.extend(of_table(options).into_iter().map(Finding::Table));
    all.extend(designs(profile, existing).map(Finding::Design));
    if existing.is_none() {
        all.extend(order(profile).map(Finding::Order));
        let is_sorted = profile.is_sorted_as_written();
        all.extend(is_sorted.then_some(Finding::Order(OrderFinding::Sorted)));
        all.extend(common_prefix(profile).map(Finding::Repeated));
        all.extend(hot_fields(profile).into_iter().map(Finding::Repeated));
    }
    all.extend(hot_row(profile, tablets).map(Finding::Repeated));
    all.extend(duplicates(profile).map(Finding::Repeated));
    all.extend(sampling(profile));
    all
}

fn lengths(profile: &KeyProfile) -> impl Iterator<Item = Finding> {
    let (lengths, keys) = (&profile.lengths, profile.keys);
    let (below, above) = (lengths.below_10, lengths.above_100);
    let short = (below > 0).then(|| Finding::ShortKeys {
        keys: below,
        share: share(below, keys),
    });
    let long = (above > 0).then(|| Finding::LongKeys {
        keys: above,
        share: share(above, keys),
    });
    short.into_iter().chain(long)
}

fn size(profile: &KeyProfile, options: &AdviceOptions) -> Finding {
    let cells = profile.keys.saturating_mul(options.cells_per_row);
    Finding::Size {
        keys: profile.bytes.saturating_mul(options.cells_per_row),
        columns: cells.saturating_mul(options.column_bytes),
        timestamps: cells.saturating_mul(TIMESTAMP_BYTES),
        cells_per_row: options.cells_per_row,
        column_bytes: options.column_bytes,
    }
}

fn order(profile: &KeyProfile) -> Option<OrderFinding> {
    let order = profile.order.clone();
    if order.arrivals == Arrivals::Unordered || profile.keys < 2 {
        return Some(OrderFinding::Unknown);
    }
    // One repeated row has no order.
    if order.repeated >= 1.0 {
        return None;
    }
    let correlation = order.rank_correlation;
    // Interleaved sequences go in one direction, too, but to several places at a time.
    let in_one_place = order.sixteenths.is_none_or(|windows| windows.is_together());
    Some(
        if in_one_place && (order.ascending >= ASCENDING || correlation >= CORRELATED) {
            OrderFinding::Ascending(order)
        } else if in_one_place && (order.descending() >= ASCENDING || correlation <= -CORRELATED) {
            OrderFinding::Descending(order)
        } else if correlation.abs() > 3.0 * order.rank_correlation_error
            || (order.ascending - 0.5).abs() > 0.1
        {
            OrderFinding::Partly(order)
        } else {
            OrderFinding::Random(order)
        },
    )
}

/// Returns the size of the table, and the differences from the size that the advice is for.
fn of_table(options: &AdviceOptions) -> Vec<TableFinding> {
    let Some(table) = &options.table else {
        return Vec::new();
    };
    let mut all = vec![TableFinding::Size {
        tablets: table.tablets(),
        servers: table.servers,
    }];
    if options.servers != table.servers {
        all.push(TableFinding::OtherServers {
            requested: options.servers,
            of_table: table.servers,
        });
    }
    if let Some(requested) = options.tablets
        && u64::from(requested) != table.tablets()
    {
        all.push(TableFinding::OtherTablets {
            requested,
            of_table: table.tablets(),
        });
    }
    all
}

/// Returns the designs that keys already have.
fn designs(profile: &KeyProfile, existing: &Existing) -> impl Iterator<Item = DesignFinding> {
    let recipes = &existing.recipes;
    let kept = recipes.iter().map(|recipe| DesignFinding::Kept {
        keys: KeyShare::new(recipe.keys, profile),
        design: recipe.settings.clone(),
    });
    let is_beside_others = !recipes.is_empty();
    let others = existing.others.as_ref().filter(|_| is_beside_others);
    let none = others.map(|others| DesignFinding::None {
        keys: KeyShare::new(others.keys, profile),
        first: others.first.clone(),
    });
    let apart = existing.apart.iter();
    let other = apart.map(move |(design, keys)| DesignFinding::Other {
        keys: KeyShare::new(*keys, profile),
        design: design.clone(),
        is_beside_others,
    });
    kept.chain(none).chain(other)
}

fn common_prefix(profile: &KeyProfile) -> Option<RepeatedFinding> {
    let common = &profile.prefixes.common;
    let is_one = !common.is_empty() && profile.distinct.keys() > 1;
    is_one.then(|| RepeatedFinding::CommonPrefix(common.clone()))
}

fn hot_fields(profile: &KeyProfile) -> Vec<RepeatedFinding> {
    let fields = &profile.leading_fields;
    // Without a separator, the leading bytes are not a field, and can be the same in all numbers.
    if !matches!(
        fields.cut,
        Some(FieldCut::Separator { .. } | FieldCut::UrlHost | FieldCut::Host)
    ) {
        return Vec::new();
    }
    let hot = fields
        .hot
        .iter()
        .filter(|field| field.share >= HOT_SHARE && field.share < 1.0);
    hot.map(|field| RepeatedFinding::HotField {
        field: field.field.clone(),
        least: field.share,
        most: share(fields.at_most(field), profile.keys),
    })
    .collect()
}

/// Returns the row that alone exceeds the load of a tablet, if there is one.
fn hot_row(profile: &KeyProfile, tablets: u32) -> Option<RepeatedFinding> {
    let sample = &profile.sample;
    let rows = sample.keys.chunk_by(|a, b| a.key == b.key);
    let hottest = rows.max_by_key(|row| row.len())?;
    let times = count(hottest.len());
    is_hot(times, sample.len, tablets).then_some(RepeatedFinding::HotRow {
        row: Bytes::copy_from_slice(&hottest.first()?.key),
        share: share(times, sample.len),
        is_exact: sample.is_complete,
    })
}

fn duplicates(profile: &KeyProfile) -> Option<RepeatedFinding> {
    let at_least = profile.distinct.duplicates_at_least(profile.keys);
    (at_least > 0).then_some(RepeatedFinding::Duplicates {
        at_least,
        keys: profile.keys,
        is_exact: matches!(profile.distinct, Distinct::Counted { .. }),
    })
}

fn sampling(profile: &KeyProfile) -> Option<Finding> {
    let sample = &profile.sample;
    (!sample.is_complete).then_some(Finding::Sampled {
        keys: sample.len,
        too_long: sample.too_long,
        seed: sample.seed,
    })
}
