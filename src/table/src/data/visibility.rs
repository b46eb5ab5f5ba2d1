//! Visibility expressions, and the authorizations of readers against which they are evaluated.
//!
//! The grammar is Accumulo's:
//!
//! ```text
//! expression = [ term *( "&" term ) / term *( "|" term ) ]        & and | do not mix without ( )
//! term       = label / quoted / "(" expression ")"
//! label      = 1*( A-Z a-z 0-9 _ - . : / )
//! quoted     = '"' 1*( any byte, with \" and \\ for the two ) '"'
//! ```

use std::collections::BTreeSet;
use std::fmt;

use crate::data::{Bytes, Column, Escaped};
use crate::error::{Error, ErrorKind, Result};

/// The maximum nesting of parentheses: it bounds the stack, and is far above any real expression.
const MAX_DEPTH: usize = 64;

/// The labels that a reader holds.
///
/// Without labels, the safe default, a reader sees only cells with an empty visibility.
///
/// # Examples
///
/// ```
/// use fluo_table::Authorizations;
///
/// let reader = Authorizations::from_iter(["public", "eu"]);
/// assert!(reader.can_see(b"public&(eu|us)")?);
/// # Ok::<(), fluo_table::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Authorizations(BTreeSet<Bytes>);

impl Authorizations {
    /// Returns no authorizations: a reader with them sees only cells with an empty visibility.
    pub fn none() -> Self {
        Self::default()
    }

    /// Checks whether `label` is among them.
    pub fn contains(&self, label: &[u8]) -> bool {
        self.0.contains(label)
    }

    /// Returns the labels in order.
    pub fn iter(&self) -> impl Iterator<Item = &Bytes> {
        self.0.iter()
    }

    /// Checks whether a reader with these authorizations may see a cell with this visibility
    /// expression. Every reader sees a cell with an empty one.
    ///
    /// # Errors
    ///
    /// [`Invalid`](ErrorKind::Invalid) if the expression does not follow the grammar; the message
    /// states the byte and the problem there.
    pub fn can_see(&self, expression: &[u8]) -> Result<bool> {
        if expression.is_empty() {
            return Ok(true);
        }
        let mut evaluation = Evaluation { held: self, expression, at: 0 };
        let can_see = evaluation.expression(0)?;
        match evaluation.peek() {
            None => Ok(can_see),
            Some(b')') => Err(evaluation.error("`)` without its `(`")),
            Some(_) => Err(evaluation.error("`&` or `|` is missing between two terms")),
        }
    }
}

impl<L: Into<Bytes>> FromIterator<L> for Authorizations {
    fn from_iter<I: IntoIterator<Item = L>>(labels: I) -> Self {
        Self(labels.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Authorizations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<_> = self.0.iter().map(|label| Escaped(label).to_string()).collect();
        f.write_str(&labels.join(","))
    }
}

/// Checks whether a reader may see a column of a row.
///
/// # Errors
///
/// [`Invalid`](ErrorKind::Invalid) if the visibility of the column is not an expression.
pub fn can_see_column(held: &Authorizations, row: &[u8], column: &Column) -> Result<bool> {
    held.can_see(&column.visibility).map_err(|error| {
        let message = format!("row `{}`, column `{column}`: {error}", Escaped(row));
        Error::with_source(ErrorKind::Invalid, message, error)
    })
}

struct Evaluation<'a> {
    held: &'a Authorizations,
    expression: &'a [u8],
    at: usize,
}

impl Evaluation<'_> {
    fn expression(&mut self, depth: usize) -> Result<bool> {
        let mut holds = self.term(depth)?;
        let mut joined_by = None;
        while let Some(operator @ (b'&' | b'|')) = self.peek() {
            if *joined_by.get_or_insert(operator) != operator {
                return Err(self.error("`&` and `|` are mixed; use parentheses to group the terms"));
            }
            self.at += 1;
            let next = self.term(depth)?;
            holds = if operator == b'&' { holds && next } else { holds || next };
        }
        Ok(holds)
    }

    fn term(&mut self, depth: usize) -> Result<bool> {
        match self.peek() {
            Some(b'(') if depth == MAX_DEPTH => Err(self.error("more than 64 nested parentheses")),
            Some(b'(') => {
                self.at += 1;
                let holds = self.expression(depth + 1)?;
                if self.peek() != Some(b')') {
                    return Err(self.error("`)` is missing"));
                }
                self.at += 1;
                Ok(holds)
            }
            Some(b'"') => self.quoted(),
            Some(byte) if is_label_byte(byte) => Ok(self.label()),
            Some(_) => Err(self.error("a label, a quoted label or `(` is expected")),
            None => Err(self.error("the expression ends where a label is expected")),
        }
    }

    fn quoted(&mut self) -> Result<bool> {
        let mut label = Vec::new();
        loop {
            self.at += 1;
            match self.peek() {
                None => return Err(self.error("the closing `\"` is missing")),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    let escaped = self.peek().filter(|byte| matches!(byte, b'"' | b'\\'));
                    let what = "only `\\\"` and `\\\\` are escapes in a quoted label";
                    label.push(escaped.ok_or_else(|| self.error(what))?);
                }
                Some(byte) => label.push(byte),
            }
        }
        if label.is_empty() {
            return Err(self.error("a quoted label is empty"));
        }
        self.at += 1;
        Ok(self.held.contains(&label))
    }

    fn label(&mut self) -> bool {
        let rest = self.expression.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|&byte| !is_label_byte(byte)).unwrap_or(rest.len());
        self.at += end;
        self.held.contains(rest.get(..end).unwrap_or_default())
    }

    fn peek(&self) -> Option<u8> {
        self.expression.get(self.at).copied()
    }

    fn error(&self, what: &str) -> Error {
        Error::invalid(format!("visibility expression: at byte {}: {what}", self.at))
    }
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", "", true)]
    #[case("A", "", false)]
    #[case("A", "A", true)]
    #[case("A&B", "A", false)]
    #[case("A&B", "A,B", true)]
    #[case("A|B", "B", true)]
    #[case("(A&B)|(C&D)", "C,D", true)]
    #[case("(A&B)|(C&D)", "A,C", false)]
    #[case("((A))", "A", true)]
    #[case("\"a b&\"|x", "a b&", true)]
    #[case(r#""q\"\\"&x_-.:/9"#, r#"q"\,x_-.:/9"#, true)]
    fn an_expression_is_evaluated(
        #[case] expression: &str,
        #[case] labels: &'static str,
        #[case] seen: bool,
    ) {
        let labels = labels.split(',').filter(|label| !label.is_empty());
        assert_eq!(Authorizations::from_iter(labels).can_see(expression.as_bytes()).unwrap(), seen);
    }

    #[rstest]
    #[case("A&", "at byte 2: the expression ends where a label is expected")]
    #[case("A&B|C", "at byte 3: `&` and `|` are mixed; use parentheses to group the terms")]
    #[case("A B", "at byte 1: `&` or `|` is missing between two terms")]
    #[case("(A", "at byte 2: `)` is missing")]
    #[case("A)", "at byte 1: `)` without its `(`")]
    #[case("\"\"", "at byte 1: a quoted label is empty")]
    #[case("\"a", "at byte 2: the closing `\"` is missing")]
    #[case("\"\\n\"", "at byte 2: only `\\\"` and `\\\\` are escapes in a quoted label")]
    #[case("&A", "at byte 0: a label, a quoted label or `(` is expected")]
    fn errors_state_the_position(#[case] expression: &str, #[case] message: &str) {
        let error = Authorizations::none().can_see(expression.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("visibility expression: {message}"));
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth| [vec![b'('; depth], b"A".to_vec(), vec![b')'; depth]].concat();
        let can_see = |expression: &[u8]| Authorizations::none().can_see(expression);
        assert!(can_see(&nested(64)).is_ok());
        assert!(can_see(&nested(65)).is_err());
        assert!(can_see(&vec![b'('; 1_000_000]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_rejected(expression in any::<Vec<u8>>()) {
            let _ = Authorizations::none().can_see(&expression);
        }
    }
}
