//! The registration of a recipe with an application.

use std::collections::BTreeMap;
use std::fmt;

use fluo::Bytes;

/// The prefix of the settings that name the recipes of an application.
pub(crate) const OPTIMIZATIONS: &str = "recipes.optimizations.";

/// A recipe that an application can register: a queue.
pub trait Recipe {
    /// Returns the registration: the settings and the rows of the recipe.
    fn registration(&self) -> Registration;
}

/// The settings and the rows of a recipe.
#[derive(Clone)]
pub struct Registration {
    pub(crate) id: String,
    /// The recipe, as messages name it.
    pub(crate) what: String,
    /// The class that Java applications register under the id.
    pub(crate) optimizer: &'static str,
    pub(crate) settings: BTreeMap<String, String>,
    /// The names of the settings that all programs of the application must have in common.
    pub(crate) fixed: Vec<String>,
    /// The ids of the transient ranges, and the ranges.
    pub(crate) transient: Vec<(String, (String, String))>,
    /// The prefixes of all rows.
    pub(crate) prefixes: Vec<Bytes>,
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registration({})", self.what)
    }
}
