//! The grammar of a design: a table with its name and its settings, as serde reads them.

use anyhow::{Result, anyhow, bail};
use fluo_keys::{
    CompositeRows, DesignSettings, DigestSalt, HashedRows, KeyDesign, Modulo, RandomSalt,
    ReverseTime, Reversed, Unsalted, WebTable,
};
use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use super::Source;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Name {
    RowHasher,
    Modulo,
    DigestSalt,
    WebTable,
    Reversed,
    ReverseTime,
    RandomSalt,
    Composite,
    Unsalted,
}

/// Reads a design: its name in `design` unless it is known, and its settings beside it.
pub(crate) fn read_design<'a>(
    source: Source<'a>,
    mut table: Spanned<DeTable<'a>>,
    name: Option<Name>,
) -> Result<KeyDesign> {
    let span = table.span();
    let name = match name {
        Some(name) => Some(name),
        None => source.take(table.get_mut(), "design")?,
    };
    let Some(name) = name else {
        let error = source.error(Some(span), "missing field `design`");
        bail!("{error}; `fluo key design` lists the names");
    };
    let settings = match name {
        Name::RowHasher => read::<HashedRows>(source, table),
        Name::Modulo => read::<Modulo>(source, table),
        Name::DigestSalt => read::<DigestSalt>(source, table),
        Name::WebTable => read::<WebTable>(source, table),
        Name::Reversed => read::<Reversed>(source, table),
        Name::ReverseTime => read::<ReverseTime>(source, table),
        Name::RandomSalt => read::<RandomSalt>(source, table),
        Name::Composite => read::<CompositeRows>(source, table),
        Name::Unsalted => read::<Unsalted>(source, table),
    };
    let settings = settings.map_err(|error| {
        anyhow!("{error}; `fluo key design --design NAME` describes the settings")
    });
    KeyDesign::new(settings?).map_err(|error| source.error(Some(span), error))
}

fn read<'a, T: Deserialize<'a> + Into<DesignSettings>>(
    source: Source<'a>,
    table: Spanned<DeTable<'a>>,
) -> Result<DesignSettings> {
    source.read::<T>(table).map(Into::into)
}
