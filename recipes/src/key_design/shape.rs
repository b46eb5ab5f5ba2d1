//! What keys ask of their table: split points, and the balancer's group.

use fluo_core::Bytes;

use super::design::KeyDesign;
use super::designs::SaltOf;
use super::error::DesignError;
use super::salt::Salt;

impl KeyDesign {
    /// The most tablets for which points are made: 2^21. It is more than any table has, and more than the 1,679,616
    /// hashes of the row hasher, whose own formulas so hold up to their own bound.
    pub const MOST_TABLETS: u32 = 1 << 21;

    /// The end rows that cut a table into this many tablets, ascending.
    ///
    /// Tablet `i` begins at salt `i * salts / tablets`, rounded down; there is one point less than tablets, as the
    /// last tablet ends with the table. A web table can be given a [leading point](crate::WebTable::leading_point),
    /// which makes one more tablet. The row hasher's keys do not end with the table: it has as many points as
    /// tablets, and those of its own [formula](crate::RowHasher::splits).
    ///
    /// # Errors
    /// No tablets, more than [`MOST_TABLETS`](Self::MOST_TABLETS), more tablets than salts, and designs whose rows
    /// have no alphabet that could be split evenly.
    pub fn splits(&self, tablets: u32) -> Result<Vec<Bytes>, DesignError> {
        check_tablets(tablets)?;
        let Some(salted) = &self.halves.salt else {
            return self.halves.form.split_points(tablets);
        };
        if let Salt::RowHash(hasher) = &salted.salt {
            let splits = hasher.splits(tablets);
            return splits.map_err(|error| DesignError::splits(error.to_string()));
        }
        let count = self.salts_for(tablets, salted)?;
        let skipped = usize::from(!self.halves.leading_point);
        let points = starts(count, tablets).skip(skipped);
        Ok(points.map(|start| salted.salt.nth(start)).collect())
    }

    /// For each tablet of [`splits`](Self::splits), the share of the rows that is expected in it, as a weight. None
    /// where the design does not spread rows evenly by itself.
    ///
    /// # Errors
    /// As [`splits`](Self::splits).
    pub fn tablet_weights(&self, tablets: u32) -> Result<Option<Vec<u64>>, DesignError> {
        check_tablets(tablets)?;
        let Some(salted) = &self.halves.salt else {
            self.halves.form.check_split(tablets)?;
            return Ok(None);
        };
        if let Salt::RowHash(hasher) = &salted.salt {
            let weights = hasher.tablet_weights(tablets);
            return weights
                .map(Some)
                .map_err(|error| DesignError::splits(error.to_string()));
        }
        let count = self.salts_for(tablets, salted)?;
        let ends = starts(count, tablets).skip(1).chain([count]);
        let widths = starts(count, tablets)
            .zip(ends)
            .map(|(start, end)| end - start);
        let leading = self.halves.leading_point.then_some(0);
        Ok(Some(leading.into_iter().chain(widths).collect()))
    }

    /// How many salts there are to be divided among so many tablets; each has one at least.
    fn salts_for(&self, tablets: u32, salted: &SaltOf) -> Result<u64, DesignError> {
        let count = salted.salt.count();
        if u64::from(tablets) > count {
            let (name, ending) = (self.name(), if count == 1 { "" } else { "s" });
            return Err(DesignError::splits(format!(
                "{tablets} tablets are more than the {count} salt{ending} of this {name} design: give at most {count}"
            )));
        }
        Ok(count)
    }

    /// The part of the balancer's pattern that stands for this design's rows. None where its rows have no common
    /// beginning: all tablets of the table are one group then, and need no pattern.
    #[must_use]
    pub fn group_regex(&self) -> Option<String> {
        match &self.halves.salt.as_ref()?.salt {
            Salt::RowHash(hasher) => Some(hasher.group_regex()),
            Salt::Modulo(_) | Salt::Digest(_) | Salt::Random(_) => None,
        }
    }
}

fn check_tablets(tablets: u32) -> Result<(), DesignError> {
    let most = KeyDesign::MOST_TABLETS;
    if tablets == 0 {
        return Err(DesignError::splits("a table has at least 1 tablet, not 0"));
    }
    if tablets > most {
        return Err(DesignError::splits(format!(
            "{tablets} tablets are more than split points are made for: give 1 to {most}"
        )));
    }
    Ok(())
}

/// The first salt of each tablet.
fn starts(count: u64, tablets: u32) -> impl Iterator<Item = u64> {
    (0..u64::from(tablets)).map(move |tablet| {
        let product = u128::from(tablet) * u128::from(count);
        u64::try_from(product / u128::from(tablets)).unwrap_or(u64::MAX)
    })
}
