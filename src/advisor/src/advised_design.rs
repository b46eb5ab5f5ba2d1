//! The entries of a spec file: a design and its split points.

use fluo_keys::DesignSettings;
use fluo_table::{Bytes, Escaped};
use serde::{Serialize, Serializer};

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

/// The split points of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AdvisedLayout {
    /// The design's own split points for this many tablets.
    Tablets(u32),
    /// These points, which come from the sample or from the table. Serialized in the escaped form.
    SplitPoints(#[serde(serialize_with = "escaped")] Vec<Bytes>),
}

fn escaped<S: Serializer>(points: &[Bytes], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(points.iter().map(|point| Escaped(point).to_string()))
}
