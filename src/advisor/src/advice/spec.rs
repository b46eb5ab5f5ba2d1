//! The spec file of an advice.

use fluo_keys::DesignSettings;
use serde::Serialize;

use crate::AdvisedLayout;

/// A spec file, which is written as TOML.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AdvisedSpec {
    /// The key designs of the table: one, or those that the table already has.
    pub key_design: Vec<AdvisedDesign>,
}

/// A key design in a spec file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AdvisedDesign {
    /// The number of tablets, or their ends.
    #[serde(flatten)]
    pub layout: AdvisedLayout,
    /// The design.
    #[serde(flatten)]
    pub settings: DesignSettings,
}
