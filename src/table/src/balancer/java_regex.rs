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
        Translation { rest: java.chars().peekable(), output: String::new(), class: None };
    while let Some(c) = translation.rest.next() {
        translation.step(c)?;
    }
    Ok(translation.output)
}

struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    output: String,
    /// The last item of the class that is being read.
    class: Option<Item>,
}

/// An item of a class, as far as it decides what a `-` after it means.
#[derive(Clone, Copy, PartialEq)]
enum Item {
    /// None: the class has just begun.
    Start,
    Char,
    /// A character and a `-`.
    HalfRange,
    /// A range, or several characters like `\d`.
    Several,
}

impl Translation<'_> {
    fn step(&mut self, c: char) -> Result<(), String> {
        match c {
            '\\' => return self.escape(),
            _ if self.class.is_some() => return self.step_in_class(c),
            '[' => {
                self.output.push('[');
                self.output.extend(self.rest.next_if_eq(&'^'));
                self.class = Some(Item::Start);
                return Ok(());
            }
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

    /// Translates a character of a class. The dialects differ in classes within classes, in
    /// operators, and in a `]` or `-` at some places.
    fn step_in_class(&mut self, c: char) -> Result<(), String> {
        let (last, next) = (self.class, self.rest.peek());
        match c {
            ']' if last != Some(Item::Start) => {
                self.output.push(']');
                self.class = None;
            }
            '-' if last == Some(Item::Char) && !matches!(next, Some('-' | ']')) => {
                self.output.push('-');
                self.class = Some(Item::HalfRange);
            }
            ']' | '[' => return Err(format!("`{c}` in a class is not supported")),
            '-' | '&' if next == Some(&c) => {
                return Err(format!("`{c}{c}` in a class is not supported"));
            }
            _ => self.literal(c),
        }
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(c) = self.rest.next() else {
            return Err("it ends in a backslash".to_owned());
        };
        let text = match c {
            'Q' if self.class.is_none() => return self.quotation(),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' if self.class == Some(Item::HalfRange) => {
                return Err(format!("`-\\{c}` in a class is not supported"));
            }
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            's' => r"[ \t\n\x0B\f\r]",
            'S' => r"[^ \t\n\x0B\f\r]",
            _ => {
                self.literal(match c {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    'f' => '\x0c',
                    'a' => '\x07',
                    _ if c.is_ascii_alphanumeric() => {
                        return Err(format!("`\\{c}` is not supported"));
                    }
                    _ => c,
                });
                return Ok(());
            }
        };
        self.output.push_str(text);
        self.class = self.class.map(|_| Item::Several);
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
        self.class = self.class.map(|last| match last {
            Item::HalfRange => Item::Several,
            Item::Start | Item::Char | Item::Several => Item::Char,
        });
    }
}
