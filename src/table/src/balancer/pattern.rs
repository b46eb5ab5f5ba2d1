//! The pattern of the group balancer, which determines the group of a tablet.

use std::borrow::Cow;

use regex::Regex;
use thiserror::Error;

use super::java_regex::translate;
use crate::data::counted;

/// The maximum number of characters of a pattern in a message.
const MAX_SHOWN: usize = 200;

/// The pattern of the group balancer, interpreted as the servers do.
///
/// The pattern must match the whole end row, as text; the text of its one capturing group is the
/// name of the tablet's group. A tablet without an end row, or whose end row does not match, is in
/// the default group.
///
/// # Examples
///
/// ```
/// use fluo_table::balancer::GroupPattern;
///
/// let pattern = GroupPattern::parse(r"(\Qp:\E|\Qm1:\E[du]:).*")?;
/// assert_eq!(pattern.group_of(Some(b"p:1sst")).as_deref(), Some("p:"));
/// assert_eq!(pattern.group_of(Some(b"m1:u:0a")).as_deref(), Some("m1:u:"));
/// assert_eq!(pattern.group_of(Some(b"q:1sst")), None);
/// assert_eq!(pattern.group_of(None), None);
/// # Ok::<(), fluo_table::balancer::PatternError>(())
/// ```
#[derive(Clone, Debug)]
pub struct GroupPattern(Regex);

/// An error in a pattern: the group balancer would not use it, or it cannot be translated.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// The number of capturing groups is not one. The balancer silently ignores such a pattern.
    #[error(
        "the pattern `{}` has {groups} capturing groups; the balancer ignores a pattern that does not \
         have exactly one",
        shortened(pattern)
    )]
    NotOneGroup {
        /// The pattern.
        pattern: String,
        /// The number of its capturing groups.
        groups: usize,
    },
    /// The pattern is not a regular expression, or is one whose Java meaning has no translation.
    #[error("the pattern `{}` cannot be read: {reason}", shortened(pattern))]
    Unreadable {
        /// The pattern.
        pattern: String,
        /// The reason.
        reason: String,
    },
}

impl GroupPattern {
    /// Parses a pattern in Java's syntax.
    ///
    /// # Errors
    ///
    /// See [`PatternError`].
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        let unreadable = |reason| PatternError::Unreadable { pattern: pattern.to_owned(), reason };
        let translated = translate(pattern).map_err(unreadable)?;
        // Compile the pattern by itself first: wrapped, an unbalanced `)` could close the wrapping.
        let own = Regex::new(&translated).map_err(|error| unreadable(one_line(&error)))?;
        let whole = Regex::new(&format!(r"\A(?:{translated})\z"))
            .map_err(|error| unreadable(one_line(&error)))?;
        match own.captures_len() - 1 {
            1 => Ok(Self(whole)),
            groups => Err(PatternError::NotOneGroup { pattern: pattern.to_owned(), groups }),
        }
    }

    /// Returns the group of the tablet with this end row; `None` is the default group.
    pub fn group_of<'a>(&self, end_row: Option<&'a [u8]>) -> Option<Cow<'a, str>> {
        self.groups_of([end_row]).next().flatten()
    }

    /// Returns the group of each of many tablets, in their order.
    pub fn groups_of<'a>(
        &self,
        end_rows: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> impl Iterator<Item = Option<Cow<'a, str>>> {
        let mut found = self.0.capture_locations();
        end_rows.into_iter().map(move |end_row| {
            let text = String::from_utf8_lossy(end_row?);
            self.0.captures_read(&mut found, &text)?;
            let (start, end) = found.get(1)?;
            match text {
                Cow::Borrowed(text) => text.get(start..end).map(Cow::Borrowed),
                Cow::Owned(text) => Some(Cow::Owned(text.get(start..end)?.to_owned())),
            }
        })
    }
}

/// Shortens a pattern for a message: that of a table with thousands of recipes would not help.
fn shortened(pattern: &str) -> Cow<'_, str> {
    match pattern.char_indices().nth(MAX_SHOWN) {
        None => Cow::Borrowed(pattern),
        Some((end, _)) => {
            let shown = pattern.get(..end).unwrap_or_default();
            Cow::Owned(format!("{shown}.. ({} in all)", counted(pattern.len(), "byte")))
        }
    }
}

fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().next_back().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn group(pattern: &str, end_row: &str) -> Option<String> {
        let pattern = GroupPattern::parse(pattern).unwrap();
        pattern.group_of(Some(end_row.as_bytes())).map(Cow::into_owned)
    }

    #[test]
    fn no_tablet_is_in_the_group_of_its_neighbor() {
        let pattern = GroupPattern::parse(r"(\Qp:\E|\Qm1:\E).*").unwrap();
        let rows: [Option<&[u8]>; 5] =
            [Some(b"m1:a"), Some(b"n"), Some(b"p:\xff"), None, Some(b"p:b")];
        let groups: Vec<_> = pattern.groups_of(rows).collect();
        let groups: Vec<_> = groups.iter().map(Option::as_deref).collect();
        assert_eq!(groups, [Some("m1:"), None, Some("p:"), None, Some("p:")]);
        // The last tablet has no end row, and an empty one is an end row.
        let all = GroupPattern::parse("(.*)").unwrap();
        assert_eq!(
            all.groups_of([None, Some(&b""[..])]).collect::<Vec<_>>(),
            [None, Some("".into())]
        );
    }

    #[rstest]
    #[case(r"(\Qp:\E).*", "p:", Some("p:"))]
    #[case(r"(\Qp:\E).*", "xp:1", None)]
    #[case(r"(\Qp:\E).*", "p:a\nb", None)]
    #[case(r"(\Qp:\E).*", "p:a\u{2028}b", None)]
    #[case(r"(\Qa.b\E).*", "axb", None)]
    #[case(r"(\Qa\E\\E\Qb:\E).*", r"a\Eb:9", Some(r"a\Eb:"))]
    #[case(r"(\d\d).*", "12x", Some("12"))]
    #[case(r"(\d\d).*", "\u{661}\u{662}x", None)]
    #[case(r"([\w.]+):.*", "a.b_9:x", Some("a.b_9"))]
    #[case(r"([\w-z]).*", "-", Some("-"))]
    #[case(r"([\w-z]).*", "`", None)]
    #[case(r"([-\d\-\s]*).*", "-1 -", Some("-1 -"))]
    #[case(r"([^-\d]).*", "-", None)]
    #[case(r"([a-c-]*).*", "b-d", Some("b-"))]
    #[case(r"([a-c-e]*).*", "b-ed", Some("b-e"))]
    #[case(r"([\t-\n~~.]*).*", "\t~.x", Some("\t~."))]
    #[case(r"(a|b)", "b", Some("b"))]
    #[case(r"(?:x|y)([^z]*?)z", "xabz", Some("ab"))]
    #[case(r"().*", "anything", Some(""))]
    #[case(r"(\.).*", ".x", Some("."))]
    fn finds_the_group_that_java_finds(
        #[case] pattern: &str,
        #[case] row: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(group(pattern, row).as_deref(), expected);
    }

    #[rstest]
    #[case(r"a.*", 0)]
    #[case(r"(a)(b).*", 2)]
    #[case("", 0)]
    fn one_capturing_group_is_required(#[case] pattern: &str, #[case] groups: usize) {
        let expected = PatternError::NotOneGroup { pattern: pattern.to_owned(), groups };
        assert_eq!(GroupPattern::parse(pattern).unwrap_err(), expected);
    }

    #[rstest]
    #[case(r"(a++).*", "the possessive quantifier `++` is not supported")]
    #[case(r"(a\1)", r"`\1` is not supported")]
    #[case(r"(?i)(a)", "a group `(?i` is not supported, only `(` and `(?:`")]
    #[case(r"(?=a)(b)", "a group `(?=` is not supported, only `(` and `(?:`")]
    #[case(r"(\p{Alpha})", r"`\p` is not supported")]
    #[case(r"([+-\d])", r"`-\d` in a class is not supported")]
    #[case(r"([\[-\d])", r"`-\d` in a class is not supported")]
    #[case(r"([a&&b])", "`&&` in a class is not supported")]
    #[case(r"([!--])", "`--` in a class is not supported")]
    #[case(r"([+-[ab]])", "`[` in a class is not supported")]
    #[case(r"([[:alpha:]])", "`[` in a class is not supported")]
    #[case(r"([].:])", "`]` in a class is not supported")]
    #[case(r"([^].:])", "`]` in a class is not supported")]
    #[case(r"([\Qa\E])", r"`\Q` is not supported")]
    #[case(r"(a)\E", r"`\E` is not supported")]
    #[case("(a", "unclosed group")]
    #[case("a)(b", "unopened group")]
    #[case("(a\\", "it ends in a backslash")]
    fn rejects_patterns_that_cannot_be_translated(#[case] pattern: &str, #[case] reason: &str) {
        let message = GroupPattern::parse(pattern).unwrap_err().to_string();
        assert_eq!(message, format!("the pattern `{pattern}` cannot be read: {reason}"));
    }

    #[test]
    fn messages_shorten_long_patterns() {
        let message = GroupPattern::parse(&"é".repeat(1_000)).unwrap_err().to_string();
        assert!(message.contains("é.. (2,000 bytes in all)` has 0 capturing groups"), "{message}");
        assert!(message.chars().count() < 400);
    }

    #[test]
    fn bytes_that_are_not_text_match_as_replacement_characters() {
        let pattern = GroupPattern::parse(r"(\Qp:\E).*").unwrap();
        assert_eq!(pattern.group_of(Some(b"p:\xff")).as_deref(), Some("p:"));
    }

    proptest! {
        #[test]
        fn any_pattern_is_read_or_rejected(pattern in ".{0,20}", row in any::<Vec<u8>>()) {
            if let Ok(pattern) = GroupPattern::parse(&pattern) {
                let _ = pattern.group_of(Some(&row));
            }
        }
    }
}
