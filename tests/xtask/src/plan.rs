//! The plan of a test run: for each part that needs tools, the decision to run it, to install its
//! tools first, or to skip it.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::tools::{BROWSER, CLIPPY, JAVA, Lack, MAVEN, RUSTFMT, Tool};

/// A part of the tests that needs tools beyond a Rust toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Formatting,
    Clippy,
    Browser,
    Accumulo,
}

impl Part {
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
            Part::Formatting => &[RUSTFMT],
            Part::Clippy => &[CLIPPY],
            Part::Browser => &[BROWSER],
            Part::Accumulo => &[JAVA, MAVEN],
        }
    }
}

/// The requests of a caller.
#[derive(Debug)]
pub(crate) struct Wishes {
    /// Parts to skip, each with the flag or the environment variable that excludes it.
    pub(crate) excluded: Vec<(Part, &'static str)>,
    /// The reason for which no part may be skipped: a flag, or continuous integration.
    pub(crate) forbids_skipping: Option<&'static str>,
    /// The state file of a running cluster for the live tests, which then need no tools to start
    /// one.
    pub(crate) cluster: Option<OsString>,
}

/// The decisions about all parts.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    skipped: Vec<Part>,
    /// The tools to install first, if no part may be skipped.
    pub(crate) missing: Lack,
    /// A line for each part that is skipped or needs an installation.
    pub(crate) remarks: Vec<String>,
    /// A line for each part that runs without an installation.
    pub(crate) ready: Vec<String>,
}

impl Plan {
    /// Decides about each part, from the requests and the tools of this machine.
    ///
    /// # Errors
    ///
    /// A part is excluded although no part may be skipped.
    pub(crate) fn new(wishes: &Wishes) -> Result<Plan> {
        let exclusion = wishes.excluded.first();
        if let (Some(cause), Some((_, exclusion))) = (wishes.forbids_skipping, exclusion) {
            bail!(
                "`{exclusion}` contradicts `{cause}`, which forbids skipping: leave one of them out"
            );
        }
        let mut plan = Plan::default();
        for part in [
            Part::Formatting,
            Part::Clippy,
            Part::Browser,
            Part::Accumulo,
        ] {
            let name = part.name();
            let exclusion = wishes.excluded.iter().find(|(this, _)| *this == part);
            let lack = match part {
                Part::Accumulo if wishes.cluster.is_some() => None,
                _ if exclusion.is_some() => None,
                _ => Lack::of(part.tools()),
            };
            let reason = match (exclusion, lack) {
                (Some((_, exclusion)), _) => format!("`{exclusion}` was given"),
                (None, None) => {
                    plan.ready.push(format!("runs: {name}"));
                    continue;
                }
                (None, Some(lack)) if wishes.forbids_skipping.is_some() => {
                    plan.remarks.push(format!("to install for {name}: {lack}"));
                    plan.missing.add(lack);
                    continue;
                }
                (None, Some(lack)) => lack.to_string(),
            };
            plan.remarks.push(format!("skipped: {name}: {reason}"));
            plan.skipped.push(part);
        }
        Ok(plan)
    }

    pub(crate) fn runs(&self, part: Part) -> bool {
        !self.skipped.contains(&part)
    }
}
