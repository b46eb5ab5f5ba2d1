//! The epochs by which the coordination of an application and its table recognise each other.

use crate::error::{Error, ErrorKind, Result};

/// The record that a coordination keeps of its last opening.
///
/// Each opening draws an epoch, a text that no other opening draws. It records the epoch before it writes it to the table,
/// together with the one that it found there. So a crash between the two steps leaves a table whose epoch is recorded. A
/// copy of the coordination, or a backup of it, does not know the epoch that the table got since it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epochs {
    /// The epoch of the last opening.
    pub last: String,
    /// The epoch that the table had before, or `None` if it had none.
    pub before: Option<String>,
}

impl Epochs {
    /// Returns the record of an opening with the epoch `own` that found the epoch `found` at the table of the application
    /// `name`, after a comparison with the record before it.
    ///
    /// # Errors
    /// [`Invalid`](ErrorKind::Invalid) if the table was opened with another copy since.
    pub fn begin(
        name: &str,
        recorded: Option<&Self>,
        own: &str,
        found: Option<&str>,
    ) -> Result<Self> {
        let is_known = |found: &str| {
            let is_recorded = |recorded: &Self| {
                recorded.last == found || recorded.before.as_deref() == Some(found)
            };
            found == own || recorded.is_some_and(is_recorded)
        };
        match found {
            Some(found) if !is_known(found) => Err(copied(name)),
            _ => Ok(Self {
                last: own.to_owned(),
                before: found.filter(|found| *found != own).map(str::to_owned),
            }),
        }
    }

    /// Returns the stored bytes: a line for each epoch, the last one first.
    pub fn encode(&self) -> Vec<u8> {
        let before = self.before.as_deref().unwrap_or_default();
        format!("{}\n{before}", self.last).into_bytes()
    }

    /// Reads the stored bytes.
    ///
    /// # Errors
    /// [`Corrupt`](ErrorKind::Corrupt).
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let lines = str::from_utf8(bytes)
            .ok()
            .and_then(|it| it.split_once('\n'));
        let (last, before) = lines.filter(|(last, _)| !last.is_empty()).ok_or_else(|| {
            let message = "the epochs of an application are not two lines of text";
            Error::new(ErrorKind::Corrupt, message)
        })?;
        Ok(Self {
            last: last.to_owned(),
            before: (!before.is_empty()).then(|| before.to_owned()),
        })
    }
}

fn copied(name: &str) -> Error {
    Error::invalid(format!(
        "this coordination of the application `{name}` is a copy or an older backup: its table was opened with another one \
         since, and this one would hand out timestamps a second time; open the application with the coordination that was \
         used last, or initialise it anew"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(recorded: Option<&Epochs>, own: &str, found: Option<&str>) -> Result<Epochs> {
        Epochs::begin("web", recorded, own, found)
    }

    #[test]
    fn an_opening_knows_the_table_after_a_crash_between_the_two_steps() {
        let first = begin(None, "a", None).unwrap();
        // Recorded, and not written to the table; then both; then recorded again, and not written.
        let second = begin(Some(&first), "b", None).unwrap();
        let third = begin(Some(&second), "c", Some("b")).unwrap();
        let fourth = begin(Some(&third), "d", Some("b")).unwrap();
        assert_eq!(fourth.before.as_deref(), Some("b"));
        assert!(begin(Some(&fourth), "e", Some("d")).is_ok());
        assert_eq!(Epochs::decode(&first.encode()).unwrap(), first);
        assert_eq!(Epochs::decode(&fourth.encode()).unwrap(), fourth);
    }

    /// A further client of one opening finds the epoch of the first, or none yet.
    #[test]
    fn several_clients_of_one_opening_share_its_epoch() {
        let first = begin(None, "a", None).unwrap();
        assert!(begin(Some(&first), "a", None).is_ok());
        let again = begin(Some(&first), "a", Some("a")).unwrap();
        assert!(begin(Some(&again), "b", Some("a")).is_ok());
    }

    /// A directory was copied and both copies were opened on one table of a cluster. Each handed out the timestamps that
    /// the other one had handed out already, and nothing noticed.
    #[test]
    fn a_copy_is_refused_once_the_other_one_was_opened() {
        let both = begin(None, "a", None).unwrap();
        // Also if the opening of the one crashed before it wrote to the table.
        let crashed = begin(Some(&both), "b", Some("a")).unwrap();
        assert!(begin(Some(&both), "c", Some("a")).is_ok());
        let error = begin(Some(&crashed), "d", Some("c")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert_eq!(
            error.to_string(),
            "this coordination of the application `web` is a copy or an older backup: its table was opened with another one \
             since, and this one would hand out timestamps a second time; open the application with the coordination that \
             was used last, or initialise it anew"
        );
        assert!(begin(None, "d", Some("c")).is_err(), "one of before epochs");
    }

    #[test]
    fn other_bytes_are_damage() {
        for bytes in [&b""[..], b"a", b"\nb", b"\xff\n"] {
            assert_eq!(
                Epochs::decode(bytes).unwrap_err().kind(),
                ErrorKind::Corrupt
            );
        }
    }
}
