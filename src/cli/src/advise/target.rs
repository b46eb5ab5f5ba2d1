//! An optional target, because a file of keys has none.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::target::TargetArguments;

/// The beginning of the help heading of all arguments for a live Accumulo.
const LIVE: &str = "Live Accumulo";
/// The argument that names a target.
const AT: &str = "at";

/// The arguments that name a target, if there is one.
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

/// Allows the arguments of a login only together with a target.
fn only_with_a_target(argument: Arg) -> Arg {
    match argument.get_help_heading() {
        Some(heading) if heading.starts_with(LIVE) => argument.requires(AT),
        _ => argument,
    }
}
