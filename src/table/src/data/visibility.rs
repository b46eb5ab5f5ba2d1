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

use thiserror::Error;

use crate::data::Bytes;

/// The maximum nesting of parentheses: it bounds the stack, and is far above any real expression.
const MAX_DEPTH: usize = 64;

/// The labels that a reader holds.
///
/// Without labels, the safe default, a reader sees only cells with an empty visibility.
///
/// # Examples
///
/// ```
/// use fluo_table::{Authorizations, Visibility};
///
/// let reader = Authorizations::from_iter(["public", "eu"]);
/// assert!(Visibility::parse(b"public&(eu|us)")?.is_visible_to(&reader));
/// # Ok::<(), fluo_table::VisibilityError>(())
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
}

impl<L: Into<Bytes>> FromIterator<L> for Authorizations {
    fn from_iter<I: IntoIterator<Item = L>>(labels: I) -> Self {
        Self(labels.into_iter().map(Into::into).collect())
    }
}

/// An error in a visibility expression.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("visibility expression: at byte {at}: {what}")]
pub struct VisibilityError {
    at: usize,
    what: &'static str,
}

/// A parsed visibility expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visibility(Option<Node>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Label(Vec<u8>),
    All(Vec<Node>),
    Any(Vec<Node>),
}

impl Visibility {
    /// Parses an expression; an empty one is visible to every reader.
    ///
    /// # Errors
    ///
    /// An error if the expression does not follow the grammar; it states the byte and the problem
    /// there.
    pub fn parse(expression: &[u8]) -> Result<Self, VisibilityError> {
        if expression.is_empty() {
            return Ok(Self(None));
        }
        let mut parser = Parser { expression, at: 0 };
        let node = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Self(Some(node))),
            Some(b')') => Err(parser.error("`)` without its `(`")),
            Some(_) => Err(parser.error("`&` or `|` is missing between two terms")),
        }
    }

    /// Checks whether a reader with these authorizations may see the cell.
    pub fn is_visible_to(&self, authorizations: &Authorizations) -> bool {
        self.0.as_ref().is_none_or(|node| node.holds(authorizations))
    }
}

impl Node {
    fn holds(&self, authorizations: &Authorizations) -> bool {
        match self {
            Self::Label(label) => authorizations.contains(label),
            Self::All(nodes) => nodes.iter().all(|node| node.holds(authorizations)),
            Self::Any(nodes) => nodes.iter().any(|node| node.holds(authorizations)),
        }
    }
}

struct Parser<'a> {
    expression: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn expression(&mut self, depth: usize) -> Result<Node, VisibilityError> {
        let mut nodes = vec![self.term(depth)?];
        let mut joined_by = None;
        while let Some(operator @ (b'&' | b'|')) = self.peek() {
            if *joined_by.get_or_insert(operator) != operator {
                return Err(self.error("`&` and `|` are mixed; use parentheses to group the terms"));
            }
            self.at += 1;
            nodes.push(self.term(depth)?);
        }
        Ok(match joined_by {
            Some(b'&') => Node::All(nodes),
            Some(_) => Node::Any(nodes),
            None => nodes.remove(0),
        })
    }

    fn term(&mut self, depth: usize) -> Result<Node, VisibilityError> {
        match self.peek() {
            Some(b'(') if depth == MAX_DEPTH => Err(self.error("more than 64 nested parentheses")),
            Some(b'(') => self.parenthesized(depth),
            Some(b'"') => self.quoted(),
            Some(byte) if is_label_byte(byte) => Ok(self.label()),
            Some(_) => Err(self.error("a label, a quoted label or `(` is expected")),
            None => Err(self.error("the expression ends where a label is expected")),
        }
    }

    fn parenthesized(&mut self, depth: usize) -> Result<Node, VisibilityError> {
        self.at += 1;
        let node = self.expression(depth + 1)?;
        if self.peek() != Some(b')') {
            return Err(self.error("`)` is missing"));
        }
        self.at += 1;
        Ok(node)
    }

    fn quoted(&mut self) -> Result<Node, VisibilityError> {
        self.at += 1;
        let mut label = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.error("the closing `\"` is missing")),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(byte @ (b'"' | b'\\')) => label.push(byte),
                        _ => {
                            return Err(
                                self.error("only `\\\"` and `\\\\` are escapes in a quoted label")
                            );
                        }
                    }
                }
                Some(byte) => label.push(byte),
            }
            self.at += 1;
        }
        if label.is_empty() {
            return Err(self.error("a quoted label is empty"));
        }
        self.at += 1;
        Ok(Node::Label(label))
    }

    fn label(&mut self) -> Node {
        let rest = self.expression.get(self.at..).unwrap_or_default();
        let label: Vec<u8> = rest.iter().copied().take_while(|&byte| is_label_byte(byte)).collect();
        self.at += label.len();
        Node::Label(label)
    }

    fn peek(&self) -> Option<u8> {
        self.expression.get(self.at).copied()
    }

    fn error(&self, what: &'static str) -> VisibilityError {
        VisibilityError { at: self.at, what }
    }
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte)
}

impl fmt::Display for Authorizations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels: Vec<_> = self.0.iter().map(|l| crate::data::Escaped(l).to_string()).collect();
        f.write_str(&labels.join(","))
    }
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
        let held = labels.split(',').filter(|label| !label.is_empty()).collect();
        assert_eq!(Visibility::parse(expression.as_bytes()).unwrap().is_visible_to(&held), seen);
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
        let error = Visibility::parse(expression.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("visibility expression: {message}"));
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth| [vec![b'('; depth], b"A".to_vec(), vec![b')'; depth]].concat();
        assert!(Visibility::parse(&nested(64)).is_ok());
        assert!(Visibility::parse(&nested(65)).is_err());
        assert!(Visibility::parse(&vec![b'('; 1_000_000]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_rejected(expression in any::<Vec<u8>>()) {
            let _ = Visibility::parse(&expression);
        }
    }
}
