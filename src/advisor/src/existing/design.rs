//! A design that keys already have, with its tablets.

use fluo_keys::{DesignSettings, KeyDesign};
use fluo_table::{Bytes, Escaped};
use serde::Serialize;

use super::layout;
use crate::AdvisedLayout;

/// A design that keys, or the split points of their table, already have.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ExistingDesign {
    /// The name of the design in a table of designs.
    pub label: String,
    /// The design.
    pub settings: DesignSettings,
    /// The number of its keys in the sample.
    pub keys: u64,
    /// Their share of the sample.
    pub share: f64,
    /// Its tablets in the table; `None` if there is no table, or no split point of the design.
    pub layout: Option<AdvisedLayout>,
}

impl ExistingDesign {
    pub(super) fn new(settings: DesignSettings, splits: &[Bytes]) -> Self {
        let name = KeyDesign::new(settings.clone()).map_or("a design", |design| design.name());
        Self {
            label: match prefix_of(&settings) {
                Some(prefix) => format!("{name} `{}`", Escaped(prefix.as_bytes())),
                None => name.to_owned(),
            },
            layout: layout::layout(&settings, splits),
            settings,
            keys: 0,
            share: 0.0,
        }
    }

    /// Checks whether the table is split for the design only. Points of a design without a prefix
    /// can belong to plain rows, unless they are the design's own.
    pub(super) fn has_own_tablets(&self) -> bool {
        match &self.layout {
            Some(AdvisedLayout::Tablets(_)) => true,
            Some(AdvisedLayout::SplitPoints(_)) => prefix_of(&self.settings).is_some(),
            None => false,
        }
    }
}

fn prefix_of(settings: &DesignSettings) -> Option<&str> {
    match settings {
        DesignSettings::RowHasher(hashed) => Some(&hashed.prefix),
        _ => None,
    }
}
