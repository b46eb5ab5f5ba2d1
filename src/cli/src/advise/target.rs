//! A target that may be left out: a file of keys has none.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::target::TargetArguments;

/// What every argument about a live Accumulo is under in the help.
const LIVE: &str = "Live Accumulo";
/// The argument that names a target.
const AT: &str = "at";

/// The arguments that name a target, if they do.
#[derive(Debug)]
pub(super) struct MaybeTarget(pub(super) Option<TargetArguments>);

impl Args for MaybeTarget {
    fn augment_args(command: Command) -> Command {
        TargetArguments::augment_args(command)
            .mut_arg(AT, |at| at.required(false))
            .mut_args(only_with_a_target)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for MaybeTarget {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        if matches.contains_id(AT) {
            TargetArguments::from_arg_matches(matches).map(|target| Self(Some(target)))
        } else {
            Ok(Self(None))
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A login is for a target, and nothing else.
fn only_with_a_target(argument: Arg) -> Arg {
    match argument.get_help_heading() {
        Some(heading) if heading.starts_with(LIVE) => argument.requires(AT),
        _ => argument,
    }
}
