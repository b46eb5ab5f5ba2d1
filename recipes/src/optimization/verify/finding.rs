//! The order of differences: the one that explains the most comes first.

/// A difference with what it explains.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// The share of the table that it concerns, from 0 to 1: of its rows, or of its tablets.
    pub(super) weight: f64,
    pub(super) stage: Stage,
    pub(super) sentence: String,
}

/// The kinds of differences. Of two that concern the same share, the earlier one explains the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    MissingSplits,
    Property,
    Unhosted,
    NotSpread,
    UnseenEntries,
    OtherRows,
    ForeignRows,
    EarlierDesigns,
    UnevenHash,
    StraySplits,
    RecipeLoad,
    OtherLoad,
    GroupLoad,
    ServerLoad,
    Unproved,
    ExtraSplits,
}

impl Stage {
    /// A load follows from something else, if that is known, and that of a server from that of its tablets. Extra split
    /// points alone make no tablet fuller.
    fn factor(self) -> f64 {
        match self {
            Self::RecipeLoad | Self::OtherLoad | Self::GroupLoad => 0.5,
            Self::ServerLoad => 0.2,
            Self::ExtraSplits | Self::Unproved => 0.0,
            _ => 1.0,
        }
    }
}

impl Finding {
    pub(super) fn new(stage: Stage, weight: f64, sentence: String) -> Self {
        let weight = weight.clamp(0.0, 1.0) * stage.factor();
        Self {
            weight,
            stage,
            sentence,
        }
    }
}

/// The sentences, main cause first.
pub(super) fn in_order(mut findings: Vec<Finding>) -> Vec<String> {
    findings.sort_by(|a, b| {
        let by_weight = b.weight.total_cmp(&a.weight);
        by_weight.then(a.stage.cmp(&b.stage))
    });
    findings
        .into_iter()
        .map(|finding| finding.sentence)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_comes_before_what_follows_from_it() {
        let finding = |stage, weight| Finding::new(stage, weight, format!("{stage:?}"));
        let order = |findings: &[(Stage, f64)]| {
            in_order(findings.iter().map(|(s, w)| finding(*s, *w)).collect())
        };
        assert_eq!(
            order(&[
                (Stage::ExtraSplits, 0.9),
                (Stage::RecipeLoad, 0.25),
                (Stage::MissingSplits, 0.25)
            ]),
            ["MissingSplits", "RecipeLoad", "ExtraSplits"]
        );
        // One row of nobody does not explain a tablet that has half of the rest.
        assert_eq!(
            order(&[(Stage::ForeignRows, 0.001), (Stage::RecipeLoad, 0.45)]),
            ["RecipeLoad", "ForeignRows"]
        );
    }
}
