//! The plan of a test run: for each part that needs tools, the decision to run it, to install its
//! tools first, or to skip it.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::tool::{Found, Tool, lack, lacking};

/// A part of the tests that needs tools beyond a Rust toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Formatting,
    Clippy,
    Browser,
    Accumulo,
}

impl Part {
    const ALL: [Part; 4] = [
        Part::Formatting,
        Part::Clippy,
        Part::Browser,
        Part::Accumulo,
    ];

    fn name(self) -> &'static str {
        match self {
            Part::Formatting => "the check of the formatting",
            Part::Clippy => "clippy",
            Part::Browser => "the tests of reports in a browser",
            Part::Accumulo => "the live tests on Accumulo",
        }
    }

    pub(crate) fn tools(self) -> &'static [Tool] {
        match self {
            Part::Formatting => &[Tool::Rustfmt],
            Part::Clippy => &[Tool::Clippy],
            Part::Browser => &[Tool::Browser],
            Part::Accumulo => &[Tool::Java, Tool::Maven],
        }
    }
}

/// The requests of a caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Parts to skip, each with the flag or the environment variable that excludes it.
    pub(crate) excluded: Vec<(Part, &'static str)>,
    /// The reason for which no part may be skipped: a flag, or continuous integration.
    pub(crate) forbids_skipping: Option<&'static str>,
    /// The state file of a running cluster for the live tests, which then need no tools to start
    /// one.
    pub(crate) cluster: Option<OsString>,
}

/// The decision about a part, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Run,
    /// The missing tools are installed first.
    Install(Vec<Tool>, String),
    Skip(String),
}

/// The decisions about all parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan(Vec<(Part, Decision)>);

impl Plan {
    /// Decides about each part, from the requests and the installed tools. `find` looks for a tool.
    ///
    /// # Errors
    ///
    /// A part is excluded although no part may be skipped.
    pub(crate) fn new(wishes: &Wishes, find: impl Fn(Tool) -> Found) -> Result<Plan> {
        if let (Some(cause), Some((_, exclusion))) =
            (wishes.forbids_skipping, wishes.excluded.first())
        {
            bail!(
                "`{exclusion}` contradicts `{cause}`, which forbids skipping: leave one of them out"
            );
        }
        let decide = |part| (part, decide(part, wishes, &find));
        Ok(Plan(Part::ALL.into_iter().map(decide).collect()))
    }

    pub(crate) fn runs(&self, part: Part) -> bool {
        let skips = |(this, decision): &(Part, Decision)| {
            *this == part && matches!(decision, Decision::Skip(_))
        };
        !self.0.iter().any(skips)
    }

    /// Returns the tools to install, in the order of the parts.
    pub(crate) fn to_install(&self) -> Vec<Tool> {
        let tools = |(_, decision): &(Part, Decision)| match decision {
            Decision::Install(tools, _) => tools.clone(),
            Decision::Run | Decision::Skip(_) => Vec::new(),
        };
        self.0.iter().flat_map(tools).collect()
    }

    /// Returns a line for each part that is skipped or needs an installation.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let remark = |(part, decision): &(Part, Decision)| match decision {
            Decision::Run => None,
            Decision::Install(_, why) => Some(format!("to install for {}: {why}", part.name())),
            Decision::Skip(why) => Some(format!("skipped: {}: {why}", part.name())),
        };
        self.0.iter().filter_map(remark).collect()
    }

    /// Returns a line for each part that runs without an installation.
    pub(crate) fn ready(&self) -> Vec<String> {
        let runs = |(part, decision): &(Part, Decision)| {
            (*decision == Decision::Run).then(|| format!("runs: {}", part.name()))
        };
        self.0.iter().filter_map(runs).collect()
    }
}

fn decide(part: Part, wishes: &Wishes, find: impl Fn(Tool) -> Found) -> Decision {
    if let Some((_, exclusion)) = wishes.excluded.iter().find(|(this, _)| *this == part) {
        return Decision::Skip(format!("`{exclusion}` was given"));
    }
    if part == Part::Accumulo && wishes.cluster.is_some() {
        return Decision::Run;
    }
    let found: Vec<_> = part
        .tools()
        .iter()
        .map(|tool| (*tool, find(*tool)))
        .collect();
    match (lack(&found), wishes.forbids_skipping) {
        (None, _) => Decision::Run,
        (Some(why), Some(_)) => Decision::Install(lacking(&found), why),
        (Some(why), None) => Decision::Skip(why),
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Plan, Wishes};
    use crate::tool::{Found, Tool};

    /// Simulates a machine that has all tools except some.
    fn without(missing: &[Tool]) -> impl Fn(Tool) -> Found {
        |tool| match missing.contains(&tool) {
            true => Found::Missing,
            false => Found::Fit(tool.name()),
        }
    }

    fn everything() -> Wishes {
        Wishes {
            forbids_skipping: Some("CI=true"),
            ..Wishes::default()
        }
    }

    #[test]
    fn runs_every_part_if_no_tool_is_missing() {
        for wishes in [Wishes::default(), everything()] {
            let plan = Plan::new(&wishes, without(&[])).unwrap();
            assert!(plan.remarks().is_empty() && plan.to_install().is_empty());
            assert_eq!(plan.ready().len(), Part::ALL.len());
        }
    }

    #[test]
    fn skips_only_the_parts_whose_tools_are_missing() {
        for (missing, part) in [
            (Tool::Rustfmt, Part::Formatting),
            (Tool::Clippy, Part::Clippy),
            (Tool::Browser, Part::Browser),
            (Tool::Java, Part::Accumulo),
            (Tool::Maven, Part::Accumulo),
        ] {
            let plan = Plan::new(&Wishes::default(), without(&[missing])).unwrap();
            for other in Part::ALL {
                assert_eq!(plan.runs(other), other != part, "{missing:?} {other:?}");
            }
            assert_eq!(plan.remarks().len(), 1);
            assert!(plan.to_install().is_empty(), "nothing is installed unasked");
        }
    }

    #[test]
    fn installs_missing_tools_if_skipping_is_forbidden() {
        let plan = Plan::new(&everything(), without(&[Tool::Maven, Tool::Clippy])).unwrap();
        assert_eq!(plan.to_install(), [Tool::Clippy, Tool::Maven]);
        assert!(Part::ALL.into_iter().all(|part| plan.runs(part)));
    }

    #[test]
    fn skips_an_excluded_part_although_its_tools_are_installed() {
        let wishes = Wishes {
            excluded: vec![(Part::Accumulo, "--without-accumulo")],
            ..Wishes::default()
        };
        let plan = Plan::new(&wishes, without(&[])).unwrap();
        assert!(!plan.runs(Part::Accumulo) && plan.runs(Part::Browser));
        assert_eq!(
            plan.remarks(),
            ["skipped: the live tests on Accumulo: `--without-accumulo` was given"]
        );
    }

    #[test]
    fn needs_no_tools_for_a_given_cluster() {
        let wishes = Wishes {
            cluster: Some("state.json".into()),
            ..everything()
        };
        let plan = Plan::new(&wishes, without(&[Tool::Java, Tool::Maven])).unwrap();
        assert!(plan.remarks().is_empty() && plan.runs(Part::Accumulo));
    }

    #[test]
    fn rejects_an_exclusion_if_skipping_is_forbidden() {
        let wishes = Wishes {
            excluded: vec![(Part::Browser, "--without-browser")],
            ..everything()
        };
        assert_eq!(
            Plan::new(&wishes, without(&[])).unwrap_err().to_string(),
            "`--without-browser` contradicts `CI=true`, which forbids skipping: leave one of them out"
        );
    }
}
