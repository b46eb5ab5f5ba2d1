//! The split points of an advice.

use fluo_table::Escaped;
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
    /// Returns the split points of a forecast: those from the sample or of the table, or else the
    /// design's own.
    pub(crate) fn for_forecast(forecast: &DesignForecast) -> Self {
        match forecast.possible() {
            Some((load, _))
                if load.splits_are_of_the_sample || forecast.candidate.split_points.is_some() =>
            {
                let points = load.splits.iter();
                Self::SplitPoints(points.map(|point| Escaped(point).to_string()).collect())
            }
            _ => Self::Tablets(forecast.candidate.tablets),
        }
    }
}
