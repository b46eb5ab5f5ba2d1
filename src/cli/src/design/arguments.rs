//! The arguments for a design and its settings.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use fluo_recipes::{HashScheme, KeyDesign, KeyMigration};
use fluo_table::Versions;
use toml::Value;

use super::given::Given;
use super::{draw, known, settings, values};
use crate::spec::{self, Layout, Recipe};

/// The default design.
const DEFAULT: &str = "row-hasher";

/// The designs that can salt the rows of another design.
const SALTS: [&str; 3] = ["modulo", "digest-salt", "random-salt"];

/// The help heading of the settings.
const HEADING: &str = "Settings of key designs";

/// The key design and its settings. Each argument after the first two is a setting of a spec.
#[derive(Args, Debug)]
pub(crate) struct DesignArguments {
    /// Key design; row-hasher unless given. `fluo key design` lists all designs and has a page
    /// about each
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(known::names()), conflicts_with = "spec")]
    design: Option<String>,
    /// Spec that names the design and its settings, in place of the arguments; --prefix chooses one
    /// of several row hashers
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// row-hasher: start of every key, before the first `:`
    #[arg(long, required_unless_present_any = ["design", "spec"])]
    prefix: Option<String>,
    /// row-hasher: hash of the rows: murmur3-base36, unless given, or sha1-base32
    #[arg(long, help_heading = HEADING)]
    scheme: Option<HashScheme>,
    /// modulo: number of buckets, 1 to 1,000,000; 10 unless given. random-salt: number of buckets,
    /// 2 to 65,536
    #[arg(long, help_heading = HEADING, value_name = "COUNT", allow_negative_numbers = true, value_parser = values::count)]
    buckets: Option<i64>,
    /// modulo: value whose modulus is the bucket: java-hash, unless given, or number
    #[arg(long, help_heading = HEADING)]
    of: Option<String>,
    /// digest-salt: the digest: md5, unless given, or sha1
    #[arg(long, help_heading = HEADING)]
    digest: Option<String>,
    /// digest-salt: end of the digest's text to use: first, unless given, or last
    #[arg(long, help_heading = HEADING)]
    end: Option<String>,
    /// digest-salt, web-table: number of hexadecimal digits, 1 to 8; 2 unless given
    #[arg(long, help_heading = HEADING, value_name = "COUNT", allow_negative_numbers = true, value_parser = values::count)]
    digits: Option<i64>,
    /// Text between the salt and the row, or between the parts of a row: `|` unless given, empty
    /// for digest-salt and a tab for composite
    #[arg(long, help_heading = HEADING, value_name = "TEXT", allow_hyphen_values = true)]
    separator: Option<String>,
    /// Part of the row that determines the salt: whole, unless given, before:TEXT or first:COUNT;
    /// for web-table registrable-domain, unless given, or host; for composite fields:COUNT; for
    /// reverse-time entity
    #[arg(long, help_heading = HEADING, value_name = "PART")]
    over: Option<String>,
    /// web-table: direction of the domain in the digest: forward, unless given, or reversed
    #[arg(long, help_heading = HEADING)]
    text: Option<String>,
    /// web-table: start the split points with the first salt, as tables do that were made by guides
    #[arg(long, help_heading = HEADING)]
    leading_point: bool,
    /// reversed: length of all rows, from 1 on, or stored, to store it with each row
    #[arg(long, help_heading = HEADING, allow_negative_numbers = true)]
    length: Option<String>,
    /// reversed: unit that changes places: bytes, unless given, or characters
    #[arg(long, help_heading = HEADING)]
    unit: Option<String>,
    /// reversed: alphabet of the rows, for even split points: digits, hex, lower, printable or
    /// bytes
    #[arg(long, help_heading = HEADING)]
    alphabet: Option<String>,
    /// reverse-time: position of the time: last, unless given, or first
    #[arg(long, help_heading = HEADING, value_name = "PLACE")]
    time: Option<String>,
    /// reverse-time: encoding of the time: decimal, unless given, or binary
    #[arg(long, help_heading = HEADING)]
    time_encoding: Option<String>,
    /// composite: a field; repeat it in their order. KIND (text, bytes, signed, unsigned, float or
    /// time), with an optional name before it and `desc` after it, as in at:time:desc
    #[arg(long = "field", help_heading = HEADING, value_name = "FIELD")]
    fields: Vec<String>,
    /// reverse-time, composite: salt before the rows; its settings are those of the design of that
    /// name
    #[arg(long, help_heading = HEADING, value_name = "NAME", value_parser = PossibleValuesParser::new(SALTS))]
    salt: Option<String>,
    /// reverse-time, composite: text between the salt and the row; as in the design of the salt
    /// unless given
    #[arg(long, help_heading = HEADING, value_name = "TEXT", allow_hyphen_values = true, requires = "salt")]
    salt_separator: Option<String>,
    /// random-salt: draw the same salts in every run with this number, from 0 on
    #[arg(long, help_heading = HEADING, value_name = "NUMBER", value_parser = values::seed)]
    seed: Option<u64>,
}

impl DesignArguments {
    /// Returns the design, and the layout of its tablets if a spec has one.
    pub(crate) fn recipe(&self) -> Result<(KeyDesign, Option<Layout>)> {
        let (design, _, layout) = self.whole()?;
        Ok((design, layout))
    }

    /// Returns the design, and all designs of the table if its rows may also be written in earlier
    /// ones.
    pub(crate) fn with_epochs(&self) -> Result<(KeyDesign, Option<KeyMigration>)> {
        let (design, epochs, _) = self.recipe_with_epochs()?;
        Ok((design, epochs))
    }

    /// Returns the same as [`with_epochs`](Self::with_epochs), and the layout of the tablets if a
    /// spec has one.
    pub(crate) fn recipe_with_epochs(
        &self,
    ) -> Result<(KeyDesign, Option<KeyMigration>, Option<Layout>)> {
        let (design, before, layout) = self.whole()?;
        if before.is_empty() {
            return Ok((design, None, layout));
        }
        // Nothing is merged here, so the number of visible versions does not matter.
        let epochs = KeyMigration::new(before.into_iter().chain([design.clone()]), Versions::All);
        let spec = self.spec.as_deref().unwrap_or(Path::new(""));
        let epochs =
            epochs.map_err(|error| anyhow!("the designs of {}: {error}", spec.display()))?;
        Ok((design, Some(epochs), layout))
    }

    /// Returns the design, the designs before it, and the layout of the tablets if a spec has one.
    fn whole(&self) -> Result<(KeyDesign, Vec<KeyDesign>, Option<Layout>)> {
        let (design, before, layout) = match &self.spec {
            Some(_) => {
                let recipe = self.of_spec()?;
                (recipe.design, recipe.before, Some(recipe.layout))
            }
            None => (self.of_arguments()?, Vec::new(), None),
        };
        if !design.draws_salts() && self.seed.is_some() {
            bail!(
                "--seed is for salts that are drawn; those of the design {} are computed",
                design.name()
            );
        }
        let design = design.with_salt_source(draw::source(self.seed));
        Ok((design, before, layout))
    }

    /// Returns the design.
    pub(crate) fn design(&self) -> Result<KeyDesign> {
        self.recipe().map(|(design, _)| design)
    }

    /// Checks whether no argument was given.
    pub(crate) fn is_empty(&self) -> Result<bool> {
        let names = self.design.is_some() || self.spec.is_some() || self.seed.is_some();
        Ok(!names && self.has_no_settings()?)
    }

    /// Returns the design. If only its name is given and it needs settings, returns it with example
    /// settings, and the example as text.
    pub(crate) fn design_or_example(&self) -> Result<(KeyDesign, Option<&'static str>)> {
        let name = self.design.as_deref().filter(|_| self.seed.is_none());
        if let (Some(name), true) = (name, self.has_no_settings()?)
            && let Some((example, written)) = known::example_of(name)?
        {
            return Ok((example.design()?, Some(written)));
        }
        Ok((self.design()?, None))
    }

    fn has_no_settings(&self) -> Result<bool> {
        Ok(self.salt.is_none() && self.given()?.flags().next().is_none())
    }

    /// Checks whether every run draws the same salts.
    pub(crate) fn is_seeded(&self) -> bool {
        self.seed.is_some()
    }

    fn of_arguments(&self) -> Result<KeyDesign> {
        let name = self.design.as_deref().unwrap_or(DEFAULT);
        let given = self.given()?;
        let settings = given.table(name, self.salt.as_deref())?;
        let settings = settings::read(&settings).map_err(|refusal| given.told(name, &refusal))?;
        Ok(KeyDesign::new(settings)?)
    }

    /// Returns the given settings.
    fn given(&self) -> Result<Given> {
        let text = |text: &Option<String>| text.clone().map(Value::from);
        let number = |number: Option<i64>| number.map(Value::from);
        let fields = match self.fields.as_slice() {
            [] => None,
            fields => Some(values::fields(fields)?),
        };
        Ok(Given::new([
            ("prefix", text(&self.prefix)),
            (
                "scheme",
                self.scheme.map(|scheme| Value::from(scheme.to_string())),
            ),
            ("buckets", number(self.buckets)),
            ("of", text(&self.of)),
            ("digest", text(&self.digest)),
            ("end", text(&self.end)),
            ("digits", number(self.digits)),
            ("separator", text(&self.separator)),
            ("over", self.over.as_deref().map(values::part)),
            ("text", text(&self.text)),
            (
                "leading-point",
                self.leading_point.then_some(Value::from(true)),
            ),
            ("length", self.length.as_deref().map(values::length)),
            ("unit", text(&self.unit)),
            ("alphabet", text(&self.alphabet)),
            ("time", text(&self.time)),
            ("time-encoding", text(&self.time_encoding)),
            ("field", fields),
            ("salt-separator", text(&self.salt_separator)),
        ]))
    }

    fn of_spec(&self) -> Result<Recipe> {
        let Some(path) = &self.spec else {
            bail!("there is no spec")
        };
        let given = self.given()?;
        if let Some(other) = given.flags().find(|flag| *flag != "prefix") {
            bail!("--{other} and --spec: the spec has the settings");
        }
        let mut recipes = spec::recipes(path)?;
        if let Some(prefix) = &self.prefix {
            let has_prefix = |recipe: &Recipe| {
                let hasher = recipe.design.row_hasher();
                hasher.is_some_and(|hasher| hasher.prefix() == prefix)
            };
            recipes.retain(has_prefix);
        }
        let names: Vec<_> = recipes.iter().map(Recipe::name).collect();
        let path = path.display();
        match (recipes.pop(), names.as_slice()) {
            (Some(recipe), [_]) => Ok(recipe),
            (_, []) => bail!("the spec {path} has no row hasher of this prefix"),
            (_, several) => bail!(
                "the spec {path} has {} designs: {}; choose one with --prefix",
                several.len(),
                several.join(", ")
            ),
        }
    }
}
