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

pub(super) fn check(visibility: &[u8]) -> Result<(), &'static str> {
    if visibility.is_empty() {
        return Ok(());
    }
    let mut rest = visibility;
    // The operators around the open parentheses, and the one inside of the innermost.
    let mut outer: Vec<Option<u8>> = Vec::new();
    let mut operator = None;
    loop {
        while let Some(inside) = rest.strip_prefix(b"(") {
            rest = inside;
            outer.push(operator.take());
        }
        rest = after_authorization(rest)?;
        while let Some(outside) = rest.strip_prefix(b")") {
            rest = outside;
            operator = outer.pop().ok_or("a parenthesis is closed but was not opened")?;
        }
        rest = match rest {
            [] if outer.is_empty() => return Ok(()),
            [] => return Err("a parenthesis is not closed"),
            [found @ (b'&' | b'|'), after @ ..] => {
                if operator.replace(*found).is_some_and(|before| before != *found) {
                    return Err("`&` and `|` are mixed without parentheses");
                }
                after
            }
            _ => return Err("`&`, `|` or the end is missing after a term"),
        };
    }
}

/// Returns the rest after the authorization at the start.
fn after_authorization(text: &[u8]) -> Result<&[u8], &'static str> {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let plain = text.iter().take_while(|byte| is_plain(**byte)).count();
        return match text.split_at(plain) {
            ([], _) => Err("an authorization is missing, or has a character that needs quotes"),
            (_, rest) => Ok(rest),
        };
    };
    let mut rest = quoted;
    loop {
        rest = match rest {
            [] => return Err("a quote is not closed"),
            [b'"', ..] if rest.len() == quoted.len() => {
                return Err("a quoted authorization is empty");
            }
            [b'"', after @ ..] => return Ok(after),
            [b'\\', b'"' | b'\\', after @ ..] => after,
            [b'\\', ..] => return Err("a backslash is followed by neither quote nor backslash"),
            [_, after @ ..] => after,
        };
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
