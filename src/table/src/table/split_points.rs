//! The validity of split points.

use std::collections::BTreeSet;

use crate::data::Bytes;
use crate::error::{Error, Result};

/// Checks split points that are to be added (rule A4).
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid) if one of them is empty.
pub fn check_split_points(splits: &BTreeSet<Bytes>) -> Result<()> {
    match splits.first() {
        Some(first) if first.is_empty() => {
            Err(Error::invalid("a split point is empty; it must be a row of at least one byte"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_an_empty_split_point() {
        let message =
            check_split_points(&BTreeSet::from(["".into(), "a".into()])).unwrap_err().to_string();
        assert_eq!(message, "a split point is empty; it must be a row of at least one byte");
        assert!(check_split_points(&BTreeSet::from(["a".into()])).is_ok());
        assert!(check_split_points(&BTreeSet::new()).is_ok());
    }
}
