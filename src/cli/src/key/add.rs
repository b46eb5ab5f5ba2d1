//! `fluo key add`.

use std::io;

use clap::Args;
use fluo_keys::KeyDesign;

use crate::chosen_design::DesignArguments;
use crate::encoding::Encoding;
use crate::lines::{self, OfEveryLine};

/// Convert rows on standard input to keys on standard output, one a line.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ echo org.wikipedia/accumulo | fluo key add --prefix p
  p:1yl0:org.wikipedia/accumulo
  $ echo abc001 | fluo key add --design digest-salt,digits=4,separator=-
  9bf0-abc001

A row is a line without its newline; an empty line is the empty row. A carriage return belongs to the row.")]
pub(crate) struct Add {
    #[command(flatten)]
    design: DesignArguments,
    /// Encoding of the rows and the keys
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

impl Add {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let design = self.design.design()?;
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        if self.encoding == Encoding::Text
            && let Some(hasher) = design.row_hasher()
            && !hasher.prefix().contains('\n')
        {
            // A line has no newline, so its key has none either and needs no check and no copy.
            return lines::transform(input, output, |row, line| {
                hasher.add_to(row, line);
                Ok(())
            });
        }
        let mut key = Vec::new();
        lines::transform(input, output, |line, output| {
            key.clear();
            design.encode_row_to(&self.encoding.decode(line)?, &mut key)?;
            let encoded = self.encoding.encode(&key, output);
            encoded.map_err(|error| of_design(&design, &key).unwrap_or(error))
        })
    }
}

/// Returns a better error for a key that text cannot show, if the design puts a newline into every
/// key.
fn of_design(design: &KeyDesign, key: &[u8]) -> Option<anyhow::Error> {
    let fields = design.explain(key).ok()?;
    let has_newline = |name| {
        let named = fields.iter().filter(|field| field.name == name);
        named
            .flat_map(|field| &field.stored)
            .any(|byte| *byte == b'\n')
    };
    let what = match design.row_hasher() {
        _ if has_newline("separator") => "separator",
        Some(_) if has_newline("salt") => "prefix",
        _ => return None,
    };
    let error = OfEveryLine(format!(
        "the {what} of this {} design contains a newline, which a line of text cannot show; use --encoding hex",
        design.name()
    ));
    Some(error.into())
}
