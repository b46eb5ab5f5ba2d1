//! The arguments that choose a design: by name, or from a spec.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use clap::{ArgGroup, Args};
use fastrand::Rng;
use fluo_keys::{KeyDesign, RowHasher};

use crate::design::{described, read_argument};
use crate::spec::{self, Layout, Recipe};

#[derive(Args, Debug)]
#[command(group(ArgGroup::new(CHOICE).required(true).multiple(true)))]
pub(crate) struct DesignArguments {
    /// Key design and its settings, as NAME,KEY=VALUE,.. with the keys of a spec; a dot leads into
    /// a table, as in over.before=/ . `fluo key design` lists all designs and has a page about each
    #[arg(long, value_name = "NAME,KEY=VALUE,..", group = CHOICE, conflicts_with_all = ["spec", "prefix"])]
    design: Option<String>,
    /// Spec that names the design and its settings; --prefix chooses one of several row hashers
    #[arg(long, value_name = "FILE.toml", group = CHOICE)]
    spec: Option<PathBuf>,
    /// Row hasher whose keys start with this, before the first `:`; short for --design
    /// row-hasher,prefix=PREFIX
    #[arg(long, group = CHOICE)]
    prefix: Option<String>,
    /// Draw the same salts in every run with this number, from 0 on; for the design random-salt
    #[arg(long, value_name = "NUMBER", value_parser = seed)]
    pub(crate) seed: Option<u64>,
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

pub(crate) const CHOICE: &str = "choice_of_a_design";

impl DesignArguments {
    pub(crate) fn choose(&self) -> Result<Recipe> {
        let of = |design| Recipe { design, layout: Layout::Unknown, migration: None };
        let prefix = self.prefix.as_deref().unwrap_or_default();
        let mut recipe = match (&self.design, &self.spec) {
            (Some(design), _) => of(read_argument(design)?),
            (None, Some(path)) => self.recipe(path)?,
            (None, None) => of(KeyDesign::from(&RowHasher::new(prefix)?)),
        };
        let name = recipe.design.name();
        if self.seed.is_some() && !recipe.design.draws_salts() {
            bail!("--seed is for salts that are drawn; those of the design {name} are computed");
        }
        // With a seed, every run draws the same salts.
        let random = Mutex::new(self.seed.map_or_else(Rng::new, Rng::with_seed));
        let draw = move || random.lock().unwrap_or_else(PoisonError::into_inner).u64(..);
        recipe.design = recipe.design.with_salt_source(draw);
        Ok(recipe)
    }

    /// Returns the design, with example settings if it needs some and only its name is given.
    pub(crate) fn design_or_example(&self) -> Result<(KeyDesign, Option<String>)> {
        let named =
            described()?.into_iter().find(|known| self.design.as_deref() == Some(&known.name));
        match named.filter(|known| !known.example.is_empty()) {
            Some(known) => {
                let design = read_argument(&format!("{},{}", known.name, known.example))?;
                Ok((design, Some(known.example)))
            }
            None => Ok((self.choose()?.design, None)),
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
