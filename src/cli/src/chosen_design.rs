//! The arguments that choose a design: by name, or from a spec.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use fastrand::Rng;
use fluo_keys::{KeyDesign, KeyMigration, RowHasher};
use fluo_table::Bytes;

use crate::design::{described, read_argument};
use crate::spec::{self, Layout, Recipe};

#[derive(Args, Debug)]
#[command(group(ArgGroup::new(CHOICE).required(true).multiple(true)))]
pub(crate) struct DesignArguments {
    /// Key design, such as modulo,buckets=64; `fluo key design NAME` lists its settings
    #[arg(long, value_name = "DESIGN", group = CHOICE, conflicts_with_all = ["spec", "prefix"])]
    design: Option<String>,
    /// Spec with the design, or - for standard input; --prefix chooses one of several row hashers
    #[arg(long, value_name = "FILE.toml", group = CHOICE)]
    spec: Option<PathBuf>,
    /// Row hasher; short for --design row-hasher,prefix=PREFIX
    #[arg(long, group = CHOICE)]
    prefix: Option<String>,
}

/// The arguments that choose a design to write rows.
#[derive(Args, Debug)]
pub(crate) struct WritingDesignArguments {
    #[command(flatten)]
    design: DesignArguments,
    /// Seed of drawn salts, from 0 on, for the design random-salt
    #[arg(long, value_name = "NUMBER", value_parser = seed)]
    pub(crate) seed: Option<u64>,
}

pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

pub(crate) const CHOICE: &str = "choice_of_a_design";

#[derive(Debug)]
pub(crate) struct ChosenDesign {
    pub(crate) design: KeyDesign,
    pub(crate) layout: Option<Layout>,
    /// All designs of the table, if its rows may also be written in earlier ones.
    pub(crate) migration: Option<KeyMigration>,
}

impl ChosenDesign {
    /// Returns the split points for a number of tablets, or those of the spec if none is given.
    pub(crate) fn splits(&self, tablets: Option<u32>) -> Result<Option<Vec<Bytes>>> {
        let given = tablets.map(Layout::Tablets);
        let layout = given.as_ref().or(self.layout.as_ref());
        let requirement = layout.map(|layout| layout.requirement(&self.design)).transpose()?;
        Ok(requirement.map(|requirement| requirement.splits().to_vec()))
    }
}

impl WritingDesignArguments {
    /// Returns the design, and what a spec says about its table. With a seed, every run draws the
    /// same salts.
    pub(crate) fn choose(&self) -> Result<ChosenDesign> {
        let chosen = self.design.choose()?;
        let Some(seed) = self.seed else {
            return Ok(chosen);
        };
        if !chosen.design.draws_salts() {
            bail!(misuse!(
                "--seed is for salts that are drawn; those of the design {} are computed",
                chosen.design.name()
            ));
        }
        let design = drawing(chosen.design, Rng::with_seed(seed));
        Ok(ChosenDesign { design, ..chosen })
    }
}

fn drawing(design: KeyDesign, random: Rng) -> KeyDesign {
    let random = Mutex::new(random);
    design.with_salt_source(move || random.lock().unwrap_or_else(PoisonError::into_inner).u64(..))
}

impl DesignArguments {
    /// Returns the design, and what a spec says about its table.
    pub(crate) fn choose(&self) -> Result<ChosenDesign> {
        let (design, layout, migration) = match (&self.design, &self.spec) {
            (Some(design), _) => (read_argument(design)?, None, None),
            (None, Some(path)) => {
                let recipe = self.recipe(path)?;
                (recipe.design, Some(recipe.layout), recipe.migration)
            }
            (None, None) => {
                let hasher = RowHasher::new(self.prefix.as_deref().unwrap_or_default())?;
                (KeyDesign::from(&hasher), None, None)
            }
        };
        Ok(ChosenDesign { design: drawing(design, Rng::new()), layout, migration })
    }

    /// Returns the design, with example settings if it needs some and only its name is given, as
    /// `name` or in the arguments.
    pub(crate) fn design_or_example(
        &self,
        name: Option<&str>,
    ) -> Result<(KeyDesign, Option<String>)> {
        let name = name.or(self.design.as_deref());
        let named = described()?.into_iter().find(|known| name == Some(&known.name));
        match named.filter(|known| !known.example.is_empty()) {
            Some(known) => {
                let design = read_argument(&format!("{},{}", known.name, known.example))?;
                Ok((design, Some(known.example)))
            }
            None => match name {
                Some(name) => Ok((read_argument(name)?, None)),
                None => Ok((self.choose()?.design, None)),
            },
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.design.is_none() && self.spec.is_none() && self.prefix.is_none()
    }

    /// Returns the only recipe of a spec, or the one with the given prefix.
    fn recipe(&self, path: &Path) -> Result<Recipe> {
        let mut recipes = spec::recipes(path)?;
        if let Some(prefix) = &self.prefix {
            let has_prefix = |recipe: &Recipe| {
                let hasher = recipe.design.row_hasher();
                hasher.is_some_and(|hasher| hasher.prefix() == prefix)
            };
            recipes.retain(has_prefix);
        }
        let names: Vec<_> = recipes.iter().map(Recipe::name).collect();
        let path = spec::name_of(path);
        match (recipes.pop(), names.as_slice()) {
            (Some(recipe), [_]) => Ok(recipe),
            (_, []) => bail!(misuse!("the spec {path} has no row hasher of this prefix")),
            (_, several) => bail!(misuse!(
                "the spec {path} has {} designs: {}; choose one with --prefix",
                several.len(),
                several.join(", ")
            )),
        }
    }
}
