//! Bytes as a message shows them.

use std::fmt;

use fluo_core::Escaped;

/// Bytes as a message shows them: escaped, in backticks, the long ones cut short.
///
/// Printable ASCII stands for itself, every other byte and the backslash are written `\xNN`. Only
/// the first [`MAX_SHOWN`](Self::MAX_SHOWN) bytes are kept, so that an error about a row of a
/// mebibyte stays small.
///
/// # Examples
///
/// ```
/// use fluo_recipes::RowHasher;
///
/// let error = RowHasher::new("p")?.remove(b"a\x00\\").unwrap_err();
/// assert!(error.to_string().starts_with(r"key `a\x00\x5c` has 3 bytes"));
/// # Ok::<(), fluo_recipes::EmptyPrefix>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Excerpt {
    shown: Vec<u8>,
    total: usize,
}

impl Excerpt {
    /// How many bytes a message shows of a key.
    pub const MAX_SHOWN: usize = 60;

    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self {
            shown: bytes.iter().copied().take(Self::MAX_SHOWN).collect(),
            total: bytes.len(),
        }
    }

    /// How many bytes there were before any were cut off.
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_recipes::{KeyError, RowHasher};
    ///
    /// let error = RowHasher::new("p")?.remove(&[b'q'; 1000]).unwrap_err();
    /// let KeyError::WrongPrefix { key, .. } = error else { unreachable!() };
    /// assert_eq!(key.total_len(), 1000);
    /// # Ok::<(), fluo_recipes::EmptyPrefix>(())
    /// ```
    #[must_use]
    pub fn total_len(&self) -> usize {
        self.total
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", Escaped(&self.shown))?;
        if self.shown.len() < self.total {
            write!(f, ".. ({} of {} bytes)", self.shown.len(), self.total)?;
        }
        Ok(())
    }
}

/// As the message shows it: a list of numbers would help nobody who reads a failed test.
impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Excerpt({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn escapes_what_cannot_be_printed() {
        let shown = Excerpt::new(b"a ~\\\x00\n\x7f\xff").to_string();
        assert_eq!(shown, r"`a ~\x5c\x00\x0a\x7f\xff`");
        assert_eq!(Excerpt::new("é".as_bytes()).to_string(), r"`\xc3\xa9`");
        assert_eq!(Excerpt::new(b"").to_string(), "``");
    }

    #[test]
    fn cuts_long_bytes_and_says_how_long_they_were() {
        let sixty = "x".repeat(60);
        let all = Excerpt::new(sixty.as_bytes()).to_string();
        assert_eq!(all, format!("`{sixty}`"));
        let cut = Excerpt::new(&[b'x'; 61]).to_string();
        assert_eq!(cut, format!("`{sixty}`.. (60 of 61 bytes)"));
    }
}
