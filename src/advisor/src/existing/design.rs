//! A design that keys already have, with its tablets, and its place among the balancer's groups.

use fluo_keys::{DesignSettings, KeyDesign};
use fluo_table::{Bytes, Escaped};
use serde::Serialize;

use super::layout::{AdvisedLayout, layout};

/// A design that keys, or the split points of their table, already have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExistingDesign {
    /// The name of the design in a table of designs.
    pub label: String,
    /// The design.
    pub settings: DesignSettings,
    #[serde(skip)]
    pub(crate) design: KeyDesign,
    /// The number of its keys in the sample.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// Its tablets in the table; `None` if there is no table, or no split point of the design.
    pub layout: Option<AdvisedLayout>,
}

impl ExistingDesign {
    pub(super) fn new(design: KeyDesign, splits: &[Bytes]) -> Self {
        let name = design.name();
        Self {
            label: match design.row_hasher() {
                Some(hasher) => format!("{name} `{}`", Escaped(hasher.prefix().as_bytes())),
                None => name.to_owned(),
            },
            layout: layout(&design, splits),
            settings: design.settings().clone(),
            design,
            keys: 0,
            share: 0.0,
        }
    }

    /// Checks whether the table is split for the design only. Points of a design without a prefix
    /// can belong to plain rows, unless they are the design's own.
    pub(super) fn has_own_tablets(&self) -> bool {
        match &self.layout {
            Some(AdvisedLayout::Tablets(_)) => true,
            Some(AdvisedLayout::SplitPoints(_)) => self.design.row_hasher().is_some(),
            None => false,
        }
    }

    /// Returns the groups after the one of the design; `None` if another one comes first.
    fn after<'a>(&self, groups: &'a str) -> Option<&'a str> {
        let rest = groups.strip_prefix(self.design.group_regex()?.as_str())?;
        match rest {
            "" => Some(rest),
            _ => rest.strip_prefix('|'),
        }
    }
}

/// Sorts designs in the order of their groups in the balancer's pattern `(..|..).*`. Returns
/// `false` if the pattern has a group of no design here.
pub(super) fn sort_by_groups(designs: &mut Vec<ExistingDesign>, pattern: &str) -> bool {
    let groups = pattern.strip_prefix('(');
    let mut rest = groups.and_then(|rest| rest.strip_suffix(").*")).unwrap_or(pattern);
    let mut sorted = Vec::new();
    while !rest.is_empty() {
        let mut places = designs.iter().enumerate();
        let first = places.find_map(|(place, design)| Some((place, design.after(rest)?)));
        let Some((place, after)) = first else {
            break;
        };
        sorted.push(designs.remove(place));
        rest = after;
    }
    sorted.append(designs);
    *designs = sorted;
    rest.is_empty()
}
