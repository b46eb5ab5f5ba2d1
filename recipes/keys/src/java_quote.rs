//! Literal text inside the pattern of Accumulo's group balancer, which Java compiles.
//!
//! Text that must match itself is quoted the way Java's `Pattern.quote` does it. A live table then
//! holds, byte for byte, the pattern that a Java application would have written.

/// Returns a Java regular expression that matches exactly this text.
///
/// Puts the text between `\Q` and `\E`. A `\E` inside would end the quotation early, so there the
/// quotation is closed, a literal `\E` is written, and the quotation is opened again. The result
/// is that of `Pattern.quote`, character for character.
///
/// # Examples
///
/// ```
/// use fluo_keys::java_quote;
///
/// assert_eq!(java_quote("p:"), r"\Qp:\E");
/// assert_eq!(java_quote(r"a\Eb"), r"\Qa\E\\E\Qb\E");
/// ```
#[must_use]
pub fn java_quote(text: &str) -> String {
    format!(r"\Q{}\E", text.replace(r"\E", r"\E\\E\Q"))
}

#[cfg(test)]
mod tests {
    use super::java_quote;

    #[test]
    fn quotes_as_pattern_quote_does() {
        let cases = [
            ("", r"\Q\E"),
            ("p:", r"\Qp:\E"),
            ("a.b*(c)", r"\Qa.b*(c)\E"),
            (r"\E", r"\Q\E\\E\Q\E"),
            (r"x\Ey\Ez", r"\Qx\E\\E\Qy\E\\E\Qz\E"),
            // A lone backslash at the end, and a `\Q` inside, need nothing.
            (r"a\", r"\Qa\\E"),
            (r"\Q", r"\Q\Q\E"),
            ("é\n日本:", "\\Qé\n日本:\\E"),
        ];
        for (text, quoted) in cases {
            assert_eq!(java_quote(text), quoted, "{text:?}");
        }
    }
}
