//! The recipes of an application: their settings, which are stored with the application.
//!
//! The settings are those of Apache Fluo Recipes. With them, the split points and groups of the
//! table follow from the application alone, without its code.

mod recipes;
mod requirements;

pub use recipes::{ApplicationRecipes, Recipes};
