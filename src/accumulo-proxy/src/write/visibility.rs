//! Column visibilities, to the extent to which a proxy checks them before it writes.
//!
//! ```text
//! visibility   nothing, or an expression
//! expression   term, or terms joined by `&`, or terms joined by `|`; not both
//!              without parentheses
//! term         ( expression ), or an authorization, or "an authorization" with \" and \\ inside
//! ```
//!
//! An invalid visibility makes the proxy fail without a report of the outcome of the other rows of
//! the call.

/// The characters of an unquoted authorization, besides letters and digits.
const PLAIN_MARKS: &[u8] = b"_-:./";

/// Checks that a byte string is a valid visibility.
pub(super) fn check(visibility: &[u8]) -> Result<(), &'static str> {
    if visibility.is_empty() {
        return Ok(());
    }
    let mut rest = Rest(visibility);
    let mut outer: Vec<Option<u8>> = Vec::new();
    let mut operator = None;
    loop {
        while rest.take(b'(') {
            outer.push(operator.take());
        }
        rest.term()?;
        while rest.take(b')') {
            operator = outer.pop().ok_or("a parenthesis is closed but was not opened")?;
        }
        match rest.next() {
            None if outer.is_empty() => return Ok(()),
            None => return Err("a parenthesis is not closed"),
            Some(found @ (b'&' | b'|')) => {
                if operator.is_some_and(|before| before != found) {
                    return Err("`&` and `|` are mixed without parentheses");
                }
                operator = Some(found);
            }
            Some(_) => return Err("`&`, `|` or the end is missing after a term"),
        }
    }
}

/// The unread rest of the input.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.0.first() == Some(&wanted);
        if found {
            self.next();
        }
        found
    }

    fn term(&mut self) -> Result<(), &'static str> {
        if self.take(b'"') {
            return self.quoted();
        }
        let plain = self.0.iter().take_while(|byte| is_plain(**byte)).count();
        self.0 = self.0.get(plain..).unwrap_or_default();
        if plain == 0 {
            return Err("an authorization is missing, or has a character that needs quotes");
        }
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), &'static str> {
        let mut bytes = 0_usize;
        loop {
            match self.next() {
                None => return Err("a quote is not closed"),
                Some(b'"') if bytes == 0 => return Err("a quoted authorization is empty"),
                Some(b'"') => return Ok(()),
                Some(b'\\') if !matches!(self.next(), Some(b'"' | b'\\')) => {
                    return Err("a backslash is followed by neither quote nor backslash");
                }
                Some(_) => bytes += 1,
            }
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || PLAIN_MARKS.contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_visibilities_from_other_strings() {
        let good = [
            "",
            "a",
            "a&b",
            "a|b|c",
            "(a|b)&c",
            "((a))",
            "a&(b|(c&d))",
            "\"a b\"&c",
            "\"\\\"\\\\\"",
            "a_b-c:d.e/f",
        ];
        for visibility in good {
            assert_eq!(check(visibility.as_bytes()), Ok(()), "{visibility}");
        }
        let bad = [
            "&", "a&", "|a", "a&b|c", "(a", "a)", "()", "a b", "a&&b", "\"", "\"\"", "\"\\a\"",
            "a(b)", "é", "(a&b)c", "!",
        ];
        for visibility in bad {
            assert!(check(visibility.as_bytes()).is_err(), "{visibility}");
        }
    }
}
