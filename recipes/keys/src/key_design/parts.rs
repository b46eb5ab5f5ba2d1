//! The parts of a design: a salt and an encoding.

use std::sync::Arc;

use super::encoding::RowEncoding;
use super::salt::SaltSpec;
use crate::error::RecipeError;

/// The two parts of a design, and the settings that combine them.
#[derive(Clone, Debug)]
pub(super) struct DesignParts {
    pub(super) name: &'static str,
    pub(super) salt: Option<SaltSpec>,
    /// `true` if there is a split point at the first salt, which leaves an empty tablet before it.
    pub(super) leading_point: bool,
    pub(super) encoding: Arc<dyn RowEncoding>,
}

impl DesignParts {
    /// Combines a salt and an encoding.
    ///
    /// # Errors
    ///
    /// Fails if rows of this encoding do not have the salted part, or if the salt cannot be
    /// computed from it.
    pub(super) fn new(
        name: &'static str,
        salt: Option<SaltSpec>,
        encoding: impl RowEncoding + 'static,
    ) -> Result<Self, RecipeError> {
        if let Some(salt) = &salt {
            encoding.check_salt(&salt.over, salt.of)?;
        }
        Ok(Self { name, salt, leading_point: false, encoding: Arc::new(encoding) })
    }
}
