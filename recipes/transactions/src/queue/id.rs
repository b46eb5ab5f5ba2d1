//! The id of a queue.

use std::fmt;

use fluo_table::{Error, Result};

/// The id of a queue: the prefix of its rows, and a part of its settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QueueId(String);

impl QueueId {
    /// Creates an id.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for an empty id, and for one with `:`, `!`, `#`
    /// or a control character: the rows of two such queues would be ambiguous.
    pub(crate) fn new(id: impl Into<String>) -> Result<Self> {
        let id = id.into();
        let fault = |found: char| matches!(found, ':' | '!' | '#') || found.is_control();
        if let Some(found) = id.chars().find(|found| fault(*found)) {
            return Err(Error::invalid(format!(
                "the queue id `{}` contains `{}`; use an id without `:`, `!`, `#` and control characters",
                id.escape_debug(),
                found.escape_debug()
            )));
        }
        match id.is_empty() {
            true => Err(Error::invalid(
                "the id of a queue is empty; give at least one character, such as `wc`",
            )),
            false => Ok(Self(id)),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::QueueId;

    #[test]
    fn rejects_ids_whose_rows_could_be_rows_of_others() {
        for id in ["", ":", "a:b", "a!b", "a#", "a\n", "\u{0}"] {
            assert!(QueueId::new(id).is_err(), "{id:?}");
        }
        for id in ["a", "word count", "日本", "a.b", "a~"] {
            assert_eq!(QueueId::new(id).unwrap().as_str(), id);
        }
        assert_eq!(
            QueueId::new("a:b").unwrap_err().to_string(),
            "the queue id `a:b` contains `:`; use an id without `:`, `!`, `#` and control characters"
        );
    }
}
