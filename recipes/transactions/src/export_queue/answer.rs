//! The check of an exporter's answer.

use std::collections::BTreeSet;

use super::Exported;

/// Returns the number of acknowledged entries, and the indexes and reasons of those that become
/// dead letters, among a number of entries.
///
/// # Errors
///
/// An answer that acknowledges no entry, or more than there are; and one that rejects an entry that
/// it does not acknowledge, or an entry twice.
pub(super) fn acknowledged(
    exported: Exported,
    entries: usize,
) -> Result<(usize, Vec<(usize, String)>), String> {
    let (up_to, rejected) = match exported {
        Exported::All => return Ok((entries, Vec::new())),
        Exported::UpTo(up_to) => (up_to, Vec::new()),
        Exported::DeadLetters { up_to, rejected } => (up_to, rejected),
    };
    if up_to == 0 {
        return Err(
            "the exporter has acknowledged no entry; it should return `ExportError::retry_after`"
                .into(),
        );
    }
    if up_to > entries {
        return Err(format!("the exporter has acknowledged {up_to} of {entries} entries"));
    }
    check_rejected(&rejected, up_to)?;
    Ok((up_to, rejected))
}

fn check_rejected(rejected: &[(usize, String)], up_to: usize) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for (index, _) in rejected {
        if *index >= up_to {
            return Err(format!(
                "the exporter has rejected entry {index}, but acknowledged only entries below {up_to}; the first one has index 0"
            ));
        }
        if !seen.insert(index) {
            return Err(format!("the exporter has rejected entry {index} twice in one answer"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::acknowledged;
    use crate::export_queue::Exported;

    #[test]
    fn rejects_answers_that_contradict_the_entries() {
        let letters = |up_to, indexes: &[usize]| Exported::DeadLetters {
            up_to,
            rejected: indexes.iter().map(|at| (*at, "bad".to_owned())).collect(),
        };
        for (answer, message) in [
            (Exported::UpTo(0), "the exporter has acknowledged no entry"),
            (letters(0, &[0]), "the exporter has acknowledged no entry"),
            (Exported::UpTo(3), "the exporter has acknowledged 3 of 2 entries"),
            (letters(3, &[0]), "the exporter has acknowledged 3 of 2 entries"),
            (
                letters(2, &[2]),
                "the exporter has rejected entry 2, but acknowledged only entries below 2",
            ),
            (
                letters(1, &[1]),
                "the exporter has rejected entry 1, but acknowledged only entries below 1",
            ),
            (letters(2, &[1, 0, 1]), "the exporter has rejected entry 1 twice"),
        ] {
            let found = acknowledged(answer, 2).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
        assert_eq!(acknowledged(Exported::UpTo(2), 2), Ok((2, Vec::new())));
        for up_to in [1, 2] {
            assert_eq!(
                acknowledged(letters(up_to, &[0]), 2),
                Ok((up_to, vec![(0, "bad".to_owned())]))
            );
        }
    }
}
