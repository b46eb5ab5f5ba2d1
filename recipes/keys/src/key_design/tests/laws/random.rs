//! Laws for rows with a drawn salt.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Case, text};
use crate::{KeyDesign, RandomSalt};

pub(super) fn cases() -> Vec<Case> {
    let separator = |separator: &str| {
        let separator = separator.to_owned();
        let settings = RandomSalt { separator, ..RandomSalt::new(5) };
        // One bucket after the other, so that each is drawn.
        let next = AtomicU64::new(0);
        let design = KeyDesign::new(settings).unwrap();
        let draw = move || next.fetch_add(1, Ordering::Relaxed);
        Case::new(design.with_salt_source(draw), text::row())
    };
    ["|", ""].map(separator).into()
}
