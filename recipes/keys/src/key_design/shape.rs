//! The requirements of keys on their table: split points, and the balancer's group.

use fluo_table::Bytes;

use super::design::KeyDesign;
use super::salt::SaltedPart;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

impl KeyDesign {
    /// Maximum number of tablets for which split points are computed: 2^21. That is more than any
    /// table has. It also exceeds the 1,679,616 hashes of the row hasher, so the hasher's own
    /// formulas apply up to their own limit.
    pub const MAX_TABLETS: u32 = 1 << 21;

    /// Returns the end rows that cut a table into this many tablets, ascending.
    ///
    /// Tablet `i` begins at salt `i * salts / tablets`, rounded down. There is one point less than
    /// there are tablets, because the last tablet extends to the end of the table. A web table can
    /// have a [leading point](crate::WebTable::leading_point), which adds one tablet. The keys of
    /// the row hasher do not extend to the end of the table: it has as many points as tablets,
    /// computed by its own [formula](crate::RowHasher::splits).
    ///
    /// # Errors
    ///
    /// Fails if `tablets` is 0, more than [`MAX_TABLETS`](Self::MAX_TABLETS), or more than the
    /// number of salts; also if the design has no salt and no alphabet to split evenly.
    pub fn splits(&self, tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        self.split(tablets).map(|(points, _)| points)
    }

    /// Returns the expected share of the rows in each tablet of [`splits`](Self::splits), as a
    /// weight, or `None` if the design does not spread rows evenly by itself.
    ///
    /// # Errors
    ///
    /// As [`splits`](Self::splits).
    pub fn tablet_weights(&self, tablets: u32) -> Result<Option<Vec<u64>>, RecipeError> {
        self.split(tablets).map(|(_, weights)| weights)
    }

    /// Returns the split points and, if rows are spread evenly, the weights of the tablets.
    pub(crate) fn split(
        &self,
        tablets: u32,
    ) -> Result<(Vec<Bytes>, Option<Vec<u64>>), RecipeError> {
        if tablets == 0 {
            return Err(RecipeError::no_tablets());
        }
        let most = Self::MAX_TABLETS;
        if tablets > most {
            return Err(RecipeError::splits(format!(
                "{tablets} tablets are more than the maximum for split points: give 1 to {most}"
            )));
        }
        let Some(salted) = &self.parts.salt else {
            return Ok((self.parts.encoding.split_points(tablets)?, None));
        };
        let (mut points, mut weights) = salted.salt.split(tablets)?;
        if self.parts.leading_point {
            points.insert(0, salted.salt.nth(0));
            weights.insert(0, 0);
        }
        Ok((points, Some(weights)))
    }

    /// Checks whether several rows can have the same [salted part](Self::salted_part), so that they
    /// are stored together.
    pub fn keeps_rows_together(&self) -> bool {
        let salted = self.computed_salt();
        salted.is_some_and(|salted| salted.over != SaltedPart::Whole || self.is_of_domains())
    }

    /// Returns the row hasher, or `None` if this is another design.
    pub fn row_hasher(&self) -> Option<&RowHasher> {
        self.parts.salt.as_ref()?.salt.row_hasher()
    }

    /// Returns the bytes with which every key begins. Empty if keys have no common beginning; such
    /// a design must be the only one in its table.
    pub fn prefix(&self) -> Bytes {
        let hasher = self.row_hasher();
        hasher.map_or_else(Bytes::new, |hasher| format!("{}:", hasher.prefix()).into())
    }

    /// Returns the part of the balancer's pattern that matches this design's rows, or `None` if its
    /// rows have no common beginning. In that case all tablets of the table form one group and need
    /// no pattern.
    pub fn group_regex(&self) -> Option<String> {
        self.row_hasher().map(RowHasher::group_regex)
    }
}
