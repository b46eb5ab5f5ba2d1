//! The rules for every design, and the exact cases of each.

mod golden_web_table;
mod laws;
mod laws_web_table;
mod messages;
mod transcript;

use crate::{DesignSettings, KeyDesign, RecipeError};

/// Returns the design with these settings, which are an object of JSON.
fn design_of(settings: &str) -> Result<KeyDesign, RecipeError> {
    let settings: DesignSettings = serde_json::from_str(settings)
        .map_err(|error| RecipeError::settings(format!("as JSON: {error}")))?;
    let again = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<DesignSettings>(&again).unwrap(), settings);
    Ok(KeyDesign::new(settings)?.with_salt_source(|| 307))
}
