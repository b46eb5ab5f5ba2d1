//! The set of recipes of an application.

use std::collections::BTreeMap;

use fluo::{ApplicationHandle, Bytes, Error, Result};
use fluo_table::Escaped;

use crate::registration::{OPTIMIZATIONS, Recipe, Registration};
use crate::{RowHasher, TableOptimizations};

/// The class that Java applications register for the split points of a row hasher.
pub(super) const ROW_HASHER_OPTIMIZER: &str =
    "org.apache.fluo.recipes.core.data.RowHasher$Optimizer";

/// The recipes of an application. No two of them have the same id or rows in common.
///
/// # Examples
///
/// ```
/// use fluo::{Instance, InstanceExt, Observers};
/// use fluo_recipes::combine_queue::{CombineQueue, Sum};
/// use fluo_recipes::{ApplicationRecipes, Recipes, RowHasher};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo::Result<()> {
/// let words = CombineQueue::<String, u64>::new("wc", Sum)?.buckets(7)?;
/// let recipes = Recipes::new().with(&words)?;
/// let observers = words.observe(Observers::new())?;
/// let count = Instance::in_memory().application("count").observers(&observers);
/// let client = count.recipes(&recipes).open_or_create().await?;
/// assert_eq!(client.application().settings["recipes.cfm.wc.buckets"], "7");
///
/// let twice = recipes.with(&words).unwrap_err();
/// assert!(twice.to_string().starts_with("the combine queue `wc` has the id of the combine queue `wc`"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recipes {
    registered: Vec<Registration>,
}

impl Recipes {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a recipe.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo::ErrorKind::Invalid) if another recipe has its id, or rows that could be
    /// rows of it.
    pub fn with(self, recipe: &dyn Recipe) -> Result<Self> {
        self.add(recipe.registration())
    }

    /// Adds a row hasher whose rows are spread over a number of tablets.
    ///
    /// # Errors
    ///
    /// The same as [`with`](Self::with), and [`Invalid`](fluo::ErrorKind::Invalid) for a hasher
    /// that Fluo does not have or a number of tablets that it cannot have.
    pub fn with_row_hasher(self, hasher: &RowHasher, tablets: u32) -> Result<Self> {
        hasher
            .splits(tablets)
            .map_err(|error| Error::invalid(error.to_string()))?;
        if hasher.scheme() != crate::HashScheme::default() {
            return Err(Error::invalid(format!(
                "the row hasher `{}` has the scheme {}, which the settings of an application cannot store; use {}",
                hasher.prefix(),
                hasher.scheme(),
                crate::HashScheme::default()
            )));
        }
        let prefix = hasher.prefix();
        let setting = format!("recipes.rowHasher.{prefix}.numTablets");
        self.add(Registration {
            id: prefix.to_owned(),
            what: format!("the row hasher `{prefix}`"),
            optimizer: ROW_HASHER_OPTIMIZER,
            settings: BTreeMap::from([(setting, tablets.to_string())]),
            fixed: Vec::new(),
            transient: Vec::new(),
            prefixes: vec![Bytes::from(format!("{prefix}:"))],
        })
    }

    /// Returns the settings of all recipes.
    #[must_use]
    pub fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        for recipe in &self.registered {
            settings.extend(recipe.settings.clone());
            let optimization = format!("{OPTIMIZATIONS}{}", recipe.id);
            settings.insert(optimization, recipe.optimizer.to_owned());
            for (id, (after, until)) in &recipe.transient {
                let hex = |row: &String| data_encoding::HEXUPPER.encode(row.as_bytes());
                let range = format!("{}:{}", hex(after), hex(until));
                settings.insert(format!("recipes.transientRange.{id}"), range);
            }
        }
        settings
    }

    /// Returns the split points and groups that the recipes request from the table of the
    /// application.
    ///
    /// # Errors
    ///
    /// The same as [`TableOptimizations::from_settings`].
    pub fn table_optimizations(&self) -> Result<TableOptimizations> {
        TableOptimizations::from_settings(&self.settings())
    }

    /// Returns the names of the settings that an existing application must have with these values.
    fn fixed(&self) -> impl Iterator<Item = &String> {
        self.registered.iter().flat_map(|recipe| &recipe.fixed)
    }

    fn add(mut self, new: Registration) -> Result<Self> {
        for other in &self.registered {
            if other.id == new.id {
                return Err(Error::invalid(format!(
                    "{} has the id of {}; give each recipe of an application an id of its own",
                    new.what, other.what
                )));
            }
            for prefix in &new.prefixes {
                let overlaps =
                    |other: &&Bytes| other.starts_with(prefix) || prefix.starts_with(other);
                if let Some(taken) = other.prefixes.iter().find(overlaps) {
                    return Err(Error::invalid(format!(
                        "{} and {} would share rows, which begin with `{}` and `{}`; choose another id for one of them",
                        new.what,
                        other.what,
                        Escaped(prefix),
                        Escaped(taken)
                    )));
                }
            }
        }
        self.registered.push(new);
        Ok(self)
    }
}

/// Recipes of an application, before it is created or opened.
pub trait ApplicationRecipes: Sized {
    /// Sets the recipes of the application. A new application stores their settings. An existing
    /// one must have the same numbers of buckets and the same codecs.
    #[must_use]
    fn recipes(self, recipes: &Recipes) -> Self;
}

impl ApplicationRecipes for ApplicationHandle {
    fn recipes(self, recipes: &Recipes) -> Self {
        let mut settings = recipes.settings();
        let mut handle = self;
        for name in recipes.fixed() {
            if let Some(value) = settings.remove(name) {
                handle = handle.require(name, value);
            }
        }
        let set = |handle: Self, (name, value)| handle.set(name, value);
        settings.into_iter().fold(handle, set)
    }
}
