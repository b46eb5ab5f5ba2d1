//! Hashed rows as a recipe of an application: the settings that Apache Fluo stores for them.

use std::collections::BTreeMap;

use fluo_engine::{Error, Recipe, Registration, Result};

use crate::key_design::KeyDesign;
use crate::optimization::{TableOptimizations, TableRequirement};
use crate::row_hasher::{HashScheme, RowHasher};

/// The prefix of the settings that name the recipes of an application with split points.
pub const OPTIMIZATIONS: &str = "recipes.optimizations.";

/// The class that Java applications register for the split points of a row hasher.
pub const ROW_HASHER_OPTIMIZER: &str = "org.apache.fluo.recipes.core.data.RowHasher$Optimizer";

/// Returns the requirement of a row hasher of an application, from its stored settings.
///
/// # Errors
///
/// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a missing or a wrong number of tablets.
pub fn stored_row_hasher(
    prefix: &str,
    settings: &BTreeMap<String, String>,
) -> Result<TableRequirement> {
    let name = tablets_setting(prefix);
    let Some(text) = settings.get(&name) else {
        return Err(Error::invalid(format!(
            "the setting `{name}` is missing; set the number of tablets"
        )));
    };
    let tablets = text.parse().map_err(|_| {
        Error::invalid(format!("the setting `{name}` is `{text}`; set a positive number"))
    })?;
    Ok(TableRequirement::for_key_design(&KeyDesign::from(&RowHasher::new(prefix)?), tablets)?)
}

/// The rows of one row hasher, spread over a number of tablets. An application stores the number.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Instance, InstanceExt};
/// use fluo_keys::RowHasher;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_engine::Result<()> {
/// let pages = RowHasher::new("p")?;
/// let web = Instance::in_memory().application("web").recipe(&pages.table_optimizations(20)?);
/// let client = web.create().await?;
/// assert_eq!(client.application().settings["recipes.rowHasher.p.numTablets"], "20");
/// # Ok(())
/// # }
/// ```
impl Recipe for TableOptimizations {
    fn registration(&self) -> Result<Registration> {
        let [requirement] = self.requirements() else {
            let count = self.requirements().len();
            return Err(Error::invalid(format!(
                "the optimizations have {count} recipes; declare each of them by itself"
            )));
        };
        let hasher = requirement.design().and_then(KeyDesign::row_hasher);
        // Only even split points have shares.
        let (Some(hasher), Some(tablets)) = (hasher, requirement.shares.as_ref().map(Vec::len))
        else {
            let owner = &requirement.owner;
            return Err(Error::invalid(format!(
                "the settings of an application cannot store {owner}; use a row hasher"
            )));
        };
        let (prefix, scheme) = (hasher.prefix(), hasher.scheme());
        if scheme != HashScheme::default() {
            return Err(Error::invalid(format!(
                "the row hasher `{prefix}` has the scheme {scheme}, which the settings of an application cannot store; \
                 use {}",
                HashScheme::default()
            )));
        }
        Ok(Registration::new(prefix, format!("the row hasher `{prefix}`"))
            .set(format!("{OPTIMIZATIONS}{prefix}"), ROW_HASHER_OPTIMIZER)
            .set(tablets_setting(prefix), tablets.to_string())
            .rows(format!("{prefix}:")))
    }
}

fn tablets_setting(prefix: &str) -> String {
    format!("recipes.rowHasher.{prefix}.numTablets")
}
