//! The split points of an advice.

use fluo_table::{Bytes, Escaped};
use serde::Serialize;

use crate::DesignForecast;

/// The split points of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AdvisedLayout {
    /// The design's own split points for this many tablets.
    Tablets(u32),
    /// These points, in the escaped form, which come from the sample or from the table.
    SplitPoints(Vec<String>),
}

impl AdvisedLayout {
    /// Returns split points of a table.
    pub(crate) fn at(points: &[Bytes]) -> Self {
        let points = points.iter().map(|point| Escaped(point).to_string());
        Self::SplitPoints(points.collect())
    }

    /// Returns the split points of a forecast: those from the sample or of the table, or else the
    /// design's own.
    pub(crate) fn for_forecast(forecast: &DesignForecast) -> Self {
        let candidate = &forecast.candidate;
        let is_own = |splits_are_of_the_sample: bool| {
            !splits_are_of_the_sample && candidate.split_points.is_none()
        };
        match &forecast.load {
            Some(load) if !is_own(load.splits_are_of_the_sample) => Self::at(&load.splits),
            _ => Self::Tablets(candidate.tablets),
        }
    }
}
