//! The translation of Java's regular expressions, as far as group patterns need them, into the
//! syntax of the `regex` crate.
//!
//! The dialects differ in relevant details: Java quotes with `\Q..\E`; its `.` stops at five line
//! terminators; its classes `\d`, `\w`, `\s` are ASCII. A pattern that cannot be translated without
//! a change of meaning is rejected, so that a group is never guessed.

use std::iter::Peekable;
use std::str::Chars;

/// Java's `.`: any character except a line terminator.
const DOT: &str = r"[^\n\r\x{85}\x{2028}\x{2029}]";

/// Returns the same pattern in the `regex` crate's syntax, or the reason why it cannot be
/// translated.
pub(super) fn translate(java: &str) -> Result<String, String> {
    let mut translation =
        Translation { rest: java.chars().peekable(), output: String::new(), class_depth: 0 };
    while let Some(c) = translation.rest.next() {
        translation.step(c)?;
    }
    Ok(translation.output)
}

struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    output: String,
    class_depth: usize,
}

impl Translation<'_> {
    fn step(&mut self, c: char) -> Result<(), String> {
        match c {
            '\\' => return self.escape(),
            '[' => self.class_depth += 1,
            ']' => self.class_depth = self.class_depth.saturating_sub(1),
            _ if self.class_depth > 0 => {}
            '.' => {
                self.output.push_str(DOT);
                return Ok(());
            }
            '(' => return self.group(),
            '*' | '+' | '?' | '}' => return self.quantifier(c),
            _ => {}
        }
        self.output.push(c);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(c) = self.rest.next() else {
            return Err("it ends in a backslash".to_owned());
        };
        let in_class = self.class_depth > 0;
        let text = match c {
            'Q' => return self.quotation(),
            'E' => "",
            'd' if in_class => "0-9",
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' if in_class => "0-9A-Za-z_",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            's' if in_class => r" \t\n\x0B\f\r",
            's' => r"[ \t\n\x0B\f\r]",
            'S' => r"[^ \t\n\x0B\f\r]",
            't' => r"\t",
            'n' => r"\n",
            'r' => r"\r",
            'f' => r"\f",
            'a' => r"\x07",
            _ if c.is_ascii_alphanumeric() => return Err(format!("`\\{c}` is not supported")),
            _ => {
                self.literal(c);
                return Ok(());
            }
        };
        self.output.push_str(text);
        Ok(())
    }

    /// Copies everything up to `\E`, or to the end, as literal text.
    fn quotation(&mut self) -> Result<(), String> {
        while let Some(c) = self.rest.next() {
            if c == '\\' && self.rest.next_if_eq(&'E').is_some() {
                return Ok(());
            }
            self.literal(c);
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), String> {
        self.output.push('(');
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.output.push('?');
        match self.rest.peek() {
            Some(':') => Ok(()),
            Some(&other) => {
                Err(format!("a group `(?{other}` is not supported, only `(` and `(?:`"))
            }
            None => Err("it ends in `(?`".to_owned()),
        }
    }

    fn quantifier(&mut self, c: char) -> Result<(), String> {
        self.output.push(c);
        if self.rest.peek() == Some(&'+') {
            return Err(format!("the possessive quantifier `{c}+` is not supported"));
        }
        if self.rest.next_if_eq(&'?').is_some() {
            self.output.push('?');
        }
        Ok(())
    }

    fn literal(&mut self, c: char) {
        self.output.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }
}
