//! The answer about one source of keys.

use fluo_advisor::AdvisorReport;
use serde::Serialize;

/// The answer about one source of keys, which is also its JSON.
#[derive(Serialize)]
pub(super) struct Answer {
    pub(super) source: String,
    /// The number of tablets of which only the first rows were read.
    #[serde(rename = "tablets_cut_short")]
    pub(super) cut_short: u64,
    #[serde(flatten)]
    pub(super) report: AdvisorReport,
    /// The spec file, if a design is advised.
    #[serde(rename = "spec_file")]
    pub(super) spec: Option<String>,
    #[serde(skip)]
    pub(super) next: String,
}
