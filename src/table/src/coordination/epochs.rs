//! The epochs by which the coordination of an application and its table recognize each other.

use crate::error::{Error, Result};

/// The record that a coordination keeps of its last opening.
///
/// An epoch is the number of an opening and a text that no other opening draws, such as `12-9f3c`.
/// Each opening takes the number after the recorded one. It records its epoch, together with the
/// epoch that it found at the table, before it writes its own to the table, so a crash between the
/// two steps leaves a table whose epoch is recorded.
///
/// The record of a copy, or of a backup, lacks every epoch that was written after it was made. A
/// table whose epoch has a lower number is older than the coordination: the table was restored, or
/// a write arrived late. Its timestamps are below those that the coordination hands out, so it is
/// accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epochs {
    /// The epoch of the last opening.
    pub last: String,
    /// The epoch that the table had before, or `None` if it had none.
    pub before: Option<String>,
}

impl Epochs {
    /// The property of a table with the epoch of the last opening of its coordination.
    pub const PROPERTY: &str = "table.custom.fluo.epoch";

    /// Compares the epoch `found` at the table of the application `name` with the record
    /// `recorded`.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the table was opened with another copy since.
    pub fn check(name: &str, recorded: Option<&Self>, found: Option<&str>) -> Result<()> {
        let number = recorded.map_or(0, |recorded| number_of(&recorded.last));
        let is_known = |found: &str| {
            recorded.is_some_and(|recorded| {
                recorded.last == found || recorded.before.as_deref() == Some(found)
            })
        };
        if found.is_some_and(|found| number_of(found) >= number && !is_known(found)) {
            return Err(Error::invalid(format!(
                "the coordination of the application `{name}` is an old copy; use the newest one, or initialize the application again"
            )));
        }
        Ok(())
    }

    /// Compares the epoch `found` at the table of the application `name` with the record
    /// `recorded`, and returns the new record of the opening that drew the text `own`.
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the table was opened with another copy since.
    pub fn begin(
        name: &str,
        recorded: Option<&Self>,
        own: &str,
        found: Option<&str>,
    ) -> Result<Self> {
        Self::check(name, recorded, found)?;
        let number = recorded.map_or(0, |recorded| number_of(&recorded.last));
        let is_opened =
            |recorded: &&Self| recorded.last.split_once('-').map(|(_, text)| text) == Some(own);
        let last = match recorded.filter(is_opened) {
            Some(recorded) => recorded.last.clone(),
            None => format!("{}-{own}", number.saturating_add(1)),
        };
        Ok(Self { before: found.filter(|found| *found != last).map(str::to_owned), last })
    }

    /// Checks whether an epoch is that of an opening, or of a later one.
    pub fn is_of_or_after(found: &str, opening: &str) -> bool {
        found == opening || number_of(found) > number_of(opening)
    }

    /// Returns the stored bytes: a line for each epoch, the last one first.
    pub fn encode(&self) -> Vec<u8> {
        let before = self.before.as_deref().unwrap_or_default();
        format!("{}\n{before}", self.last).into_bytes()
    }

    /// Reads the stored bytes.
    ///
    /// # Errors
    ///
    /// [`Corrupt`](crate::ErrorKind::Corrupt).
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let lines = str::from_utf8(bytes).ok().and_then(|it| it.split_once('\n'));
        let (last, before) = lines.filter(|(last, _)| !last.is_empty()).ok_or_else(|| {
            Error::corrupt("the epochs of an application are not two lines of text")
        })?;
        Ok(Self { last: last.to_owned(), before: (!before.is_empty()).then(|| before.to_owned()) })
    }
}

/// Returns the number of an epoch; text without a number counts as the highest one.
fn number_of(epoch: &str) -> u64 {
    let number = epoch.split_once('-').map(|(number, _)| number.parse());
    number.and_then(Result::ok).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(recorded: Option<&Epochs>, own: &str, found: Option<&str>) -> Result<Epochs> {
        Epochs::begin("web", recorded, own, found)
    }

    #[test]
    fn recognizes_the_table_after_a_crash_between_the_two_steps() {
        let first = begin(None, "a", None).unwrap();
        // Recorded, and not written to the table; then both; then recorded again, and not written.
        let second = begin(Some(&first), "b", None).unwrap();
        let third = begin(Some(&second), "c", Some("2-b")).unwrap();
        let fourth = begin(Some(&third), "d", Some("2-b")).unwrap();
        assert_eq!(fourth.last, "4-d");
        assert_eq!(fourth.before.as_deref(), Some("2-b"));
        assert!(begin(Some(&fourth), "e", Some("4-d")).is_ok());
        assert_eq!(Epochs::decode(&first.encode()).unwrap(), first);
        assert!(Epochs::is_of_or_after("4-d", "4-d") && Epochs::is_of_or_after("10-e", "4-d"));
        assert!(!Epochs::is_of_or_after("4-c", "4-d") && !Epochs::is_of_or_after("3-d", "4-d"));
        assert_eq!(Epochs::decode(&fourth.encode()).unwrap(), fourth);
    }

    /// Another client of the same opening finds the epoch of the first one, or none yet.
    #[test]
    fn several_clients_of_one_opening_share_its_epoch() {
        let first = begin(None, "a", None).unwrap();
        assert!(begin(Some(&first), "a", None).is_ok());
        let again = begin(Some(&first), "a", Some("1-a")).unwrap();
        assert_eq!(again, first);
        assert!(begin(Some(&again), "b", Some("1-a")).is_ok());
    }

    /// The table was restored beside a coordination that continued, or a write of an earlier epoch
    /// arrived late. Both were rejected permanently, although no timestamp can be handed out twice.
    #[test]
    fn accepts_a_table_that_is_older_than_the_coordination() {
        let mut record = begin(None, "a", None).unwrap();
        for own in ["b", "c", "d"] {
            record = begin(Some(&record), own, Some(&record.last)).unwrap();
        }
        let opened = begin(Some(&record), "e", Some("1-a")).unwrap();
        assert_eq!(opened.last, "5-e");
        assert!(begin(Some(&record), "e", Some("5-x")).is_err());
        assert!(begin(Some(&record), "e", Some("4-x")).is_err());
    }

    /// A directory was copied and both copies were opened on one table of a cluster. Each handed
    /// out timestamps that the other one had already handed out, and no check detected it.
    #[test]
    fn rejects_a_copy_once_the_other_one_was_opened() {
        let both = begin(None, "a", None).unwrap();
        // Also if the opening of the other one crashed before it wrote to the table.
        let crashed = begin(Some(&both), "b", Some("1-a")).unwrap();
        let opened = begin(Some(&both), "c", Some("1-a")).unwrap();
        let error = begin(Some(&crashed), "d", Some(&opened.last)).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "the coordination of the application `web` is an old copy; use the newest one, or initialize the application again"
        );
        assert!(begin(None, "d", Some("1-c")).is_err(), "one of before epochs");
        // Two openings of a rebuilt coordination drew one text, as process 1 of a container
        // repeatedly did.
        assert!(begin(None, "c", Some("1-c")).is_err());
    }

    #[test]
    fn reports_other_bytes_as_corrupt() {
        for bytes in [&b""[..], b"a", b"\nb", b"\xff\n"] {
            assert_eq!(Epochs::decode(bytes).unwrap_err().kind(), crate::ErrorKind::Corrupt);
        }
    }
}
