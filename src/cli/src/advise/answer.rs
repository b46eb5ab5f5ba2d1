//! The answer about one source of keys.

use fluo_advisor::AdvisorReport;
use serde::Serialize;

/// The answer about one source of keys.
pub(super) struct Answer {
    /// The name of the source, for users.
    pub(super) source: String,
    /// The number of tablets of which only the first rows were read.
    pub(super) cut_short: u64,
    pub(super) report: AdvisorReport,
    /// The spec file, if a design is advised.
    pub(super) spec: Option<String>,
    /// The next step.
    pub(super) next: String,
}

/// The answer as JSON.
#[derive(Serialize)]
pub(super) struct Printed<'a> {
    source: &'a str,
    tablets_cut_short: u64,
    #[serde(flatten)]
    report: &'a AdvisorReport,
    spec_file: Option<&'a str>,
}

impl Answer {
    /// Returns the answer as JSON.
    pub(super) fn printed(&self) -> Printed<'_> {
        Printed {
            source: &self.source,
            tablets_cut_short: self.cut_short,
            report: &self.report,
            spec_file: self.spec.as_deref(),
        }
    }
}
