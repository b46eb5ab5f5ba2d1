//! The load of tablets and servers, in figures.

use fluo_table::{Escaped, Tablet};
use serde::Serialize;

use crate::number::float;

/// The judgement of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadStanding {
    /// The fullest place is within the limit, and there are enough rows to show one beyond it.
    Even,
    /// There are too few rows to decide.
    TooFewToTell,
    /// The fullest place is beyond the limit, and chance does not explain it.
    TooFull,
    /// There is only one place, which holds everything.
    OnePlace,
    /// There are no rows.
    Empty,
    /// The places are not compared: rows of the recipe are
    /// [transient](crate::TableRequirementBuilder::transient), or those of all recipes are.
    NotCompared,
}

/// The distribution of rows, or of entries if rows are not counted, over the places that share
/// them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// The number of places that share them. For the tablets of a recipe or a group these are the
    /// tablets that the optimizations request: extra ones without rows do not lower the mean, and
    /// missing ones do not raise it.
    pub places: usize,
    /// The number in all places together.
    pub total: u64,
    /// `total / places`.
    pub mean: f64,
    /// The number in the fullest place: the one with the largest multiple of its share by design.
    pub largest: u64,
    /// The share of the fullest place by design, from 0 to 1: `1 / places` if all have the same
    /// share.
    pub share: f64,
    /// `largest / (total * share)`, or `None` if `total` is 0: the multiple of the mean if all
    /// places have the same share.
    pub skew: Option<f64>,
    /// The largest accepted skew. It differs from the given limit for few places, and for servers
    /// that cannot be even by design.
    pub limit: f64,
    /// The judgement of these figures.
    pub standing: LoadStanding,
}

/// The load of tablets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TabletLoad {
    /// The figures.
    #[serde(flatten)]
    pub load: Load,
    /// The fullest tablet, or `None` if all are empty.
    pub fullest: Option<FullestTablet>,
}

/// The fullest tablet.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FullestTablet {
    /// The end row, escaped, or `None` for the last tablet of the table.
    pub end_row: Option<String>,
    /// The server that hosts the tablet, if any.
    pub server: Option<String>,
}

impl Load {
    /// Returns `true` if the fullest place is beyond the limit.
    pub fn is_too_full(&self) -> bool {
        self.standing == LoadStanding::TooFull
    }

    /// Returns the part of the total that the fullest place holds beyond its share.
    pub(super) fn excess(&self) -> f64 {
        let part = float(self.largest) / float(self.total.max(1));
        (part - self.share).max(0.0)
    }
}

impl TabletLoad {
    /// Returns the same figures, without a judgement.
    pub(super) fn not_compared(mut self) -> Self {
        self.load.standing = LoadStanding::NotCompared;
        self
    }
}

impl FullestTablet {
    pub(super) fn new(tablet: &Tablet) -> Self {
        Self {
            end_row: tablet.end_row.as_ref().map(|row| Escaped(row).to_string()),
            server: tablet.server.clone(),
        }
    }

    /// Returns the tablet as shown in messages.
    pub(super) fn name(&self) -> String {
        let tablet = match &self.end_row {
            Some(row) => format!("the tablet that ends at `{row}`"),
            None => "the last tablet of the table".to_owned(),
        };
        match &self.server {
            Some(server) => format!("{tablet} (on {server})"),
            None => tablet,
        }
    }
}
