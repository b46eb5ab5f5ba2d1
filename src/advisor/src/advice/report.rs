//! The report of the advisor.

use serde::Serialize;

use super::Advice;
use crate::{DesignForecast, KeyProfile};

/// The complete report of the advisor: the result of [`advise`](crate::advise).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AdvisorReport {
    /// The properties of the keys.
    pub profile: KeyProfile,
    /// The effect of each design on them.
    pub forecasts: Vec<DesignForecast>,
    /// The advice.
    pub advice: Advice,
}
