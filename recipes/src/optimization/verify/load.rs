//! The load of tablets and servers, in figures.

use fluo_core::{Escaped, Tablet};
use serde::Serialize;

use crate::number::float;

/// What a load says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadStanding {
    /// The fullest place is within the limit, and there is enough to have shown one beyond it.
    Even,
    /// There is too little to tell.
    TooFewToTell,
    /// The fullest place is beyond the limit, and chance does not explain it.
    TooFull,
    /// There is one place only, which has everything.
    OnePlace,
    /// There is nothing.
    Empty,
}

/// How rows, or entries where rows are not counted, lie over places that are to share them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// The number of places that are to share them. For the tablets of a recipe or a group these are the tablets that
    /// the optimizations ask for: extra ones without rows do not lower the mean, and missing ones do not raise it.
    pub places: usize,
    /// All of them together.
    pub total: u64,
    /// `total / places`.
    pub mean: f64,
    /// The number in the fullest place: the one with the largest multiple of its share by design.
    pub largest: u64,
    /// The share that the fullest place is to have by design, from 0 to 1: `1 / places` if all are to have the same.
    pub share: f64,
    /// `largest / (total * share)`, or `None` if there is nothing: the multiple of the mean if all places are to have the
    /// same.
    pub skew: Option<f64>,
    /// The largest skew that passes. It differs from the given limit for few places, and for servers that cannot be even
    /// by design.
    pub limit: f64,
    /// What that says.
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

/// The tablet that holds the most.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FullestTablet {
    /// Its end row, escaped, or `None` for the last tablet of the table.
    pub end_row: Option<String>,
    /// The server that hosts it, if any.
    pub server: Option<String>,
}

impl Load {
    /// Whether the fullest place is beyond the limit.
    pub fn is_too_full(&self) -> bool {
        self.standing == LoadStanding::TooFull
    }

    /// The part of the total that the fullest place holds beyond its share.
    pub(super) fn excess(&self) -> f64 {
        let part = float(self.largest) / float(self.total.max(1));
        (part - self.share).max(0.0)
    }
}

impl FullestTablet {
    pub(super) fn new(tablet: &Tablet) -> Self {
        Self {
            end_row: tablet.end_row.as_ref().map(|row| Escaped(row).to_string()),
            server: tablet.server.clone(),
        }
    }

    /// The tablet, as messages name it.
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
