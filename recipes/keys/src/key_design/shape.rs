//! The requirements of keys on their table: split points, and the balancer's group.

use fluo_table::Bytes;

use super::design::KeyDesign;
use super::salt::SaltSpec;
use crate::error::RecipeError;
use crate::row_hasher::RowHasher;

impl KeyDesign {
    /// Maximum number of tablets for which split points are computed: 2^21. That is more than any
    /// table has. It also exceeds the 1,679,616 hashes of the row hasher, so the hasher's own
    /// formulas apply up to their own limit.
    pub const MOST_TABLETS: u32 = 1 << 21;

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
    /// Fails if `tablets` is 0, more than [`MOST_TABLETS`](Self::MOST_TABLETS), or more than the
    /// number of salts; also if the design has no salt and no alphabet to split evenly.
    pub fn splits(&self, tablets: u32) -> Result<Vec<Bytes>, RecipeError> {
        check_tablets(tablets)?;
        let Some(salted) = &self.parts.salt else {
            return self.parts.encoding.split_points(tablets);
        };
        if let Some(hasher) = salted.salt.row_hasher() {
            return hasher.splits(tablets);
        }
        let count = self.salts_for(tablets, salted)?;
        let skipped = usize::from(!self.parts.leading_point);
        let points = starts(count, tablets).skip(skipped);
        Ok(points.map(|start| salted.salt.nth(start)).collect())
    }

    /// Returns the expected share of the rows in each tablet of [`splits`](Self::splits), as a
    /// weight, or `None` if the design does not spread rows evenly by itself.
    ///
    /// # Errors
    ///
    /// As [`splits`](Self::splits).
    pub fn tablet_weights(&self, tablets: u32) -> Result<Option<Vec<u64>>, RecipeError> {
        check_tablets(tablets)?;
        let Some(salted) = &self.parts.salt else {
            self.parts.encoding.check_split(tablets)?;
            return Ok(None);
        };
        if let Some(hasher) = salted.salt.row_hasher() {
            return hasher.tablet_weights(tablets).map(Some);
        }
        let count = self.salts_for(tablets, salted)?;
        let ends = starts(count, tablets).skip(1).chain([count]);
        let widths = starts(count, tablets)
            .zip(ends)
            .map(|(start, end)| end - start);
        let leading = self.parts.leading_point.then_some(0);
        Ok(Some(leading.into_iter().chain(widths).collect()))
    }

    /// Returns the number of salts to divide among the tablets; each tablet gets at least one.
    fn salts_for(&self, tablets: u32, salted: &SaltSpec) -> Result<u64, RecipeError> {
        let count = salted.salt.count();
        if u64::from(tablets) > count {
            let (name, ending) = (self.name(), if count == 1 { "" } else { "s" });
            return Err(RecipeError::splits(format!(
                "{tablets} tablets are more than the {count} salt{ending} of this {name} design: give at most {count}"
            )));
        }
        Ok(count)
    }

    /// Returns the part of the balancer's pattern that matches this design's rows, or `None` if its
    /// rows have no common beginning. In that case all tablets of the table form one group and need
    /// no pattern.
    #[must_use]
    pub fn group_regex(&self) -> Option<String> {
        self.row_hasher().map(RowHasher::group_regex)
    }
}

fn check_tablets(tablets: u32) -> Result<(), RecipeError> {
    let most = KeyDesign::MOST_TABLETS;
    if tablets == 0 {
        return Err(RecipeError::no_tablets());
    }
    if tablets > most {
        return Err(RecipeError::splits(format!(
            "{tablets} tablets are more than the maximum for split points: give 1 to {most}"
        )));
    }
    Ok(())
}

/// Returns the first salt of each tablet.
fn starts(count: u64, tablets: u32) -> impl Iterator<Item = u64> {
    (0..u64::from(tablets)).map(move |tablet| {
        let product = u128::from(tablet) * u128::from(count);
        u64::try_from(product / u128::from(tablets)).unwrap_or(u64::MAX)
    })
}
