//! The parser of `--at`: a target, `embedded:DIR` or `proxy:HOST:PORT`, or the name of a profile in
//! the configuration file.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Context;
use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command};
use fluo_process::Profile;

use crate::exit::sentence;

/// The parser of the value of `--at`. Its errors do not repeat the value, which may contain a
/// password.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtParser;

impl TypedValueParser for AtParser {
    type Value = Profile;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Profile, clap::Error> {
        let text = value.to_str().context("the target in --at or FLUO_AT is not UTF-8 text");
        text.and_then(|text| Ok(Profile::parse(text)?)).map_err(|error| {
            let is_directory = Path::new(value).is_dir();
            let meant =
                is_directory.then(|| format!("; did you mean embedded:{}?", value.display()));
            let message = format!("{}{}\n", sentence(&error), meant.unwrap_or_default());
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}
