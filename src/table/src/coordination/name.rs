//! Names of applications.

use crate::error::{Error, Result};

/// The maximum length of an application's name, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// Checks the name of an application. The name is one part of a path in ZooKeeper, as in Fluo.
///
/// It must not be empty, and must not contain `/`, `.`, `:`, control characters, private-use
/// characters or characters beyond 16 bits.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid); the message states the rule.
pub fn check_application_name(name: &str) -> Result<()> {
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.chars().any(is_refused) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` cannot be the name of an application: use 1 to {MAX_NAME_BYTES} letters, digits, `-` and `_`",
        shown(name)
    )))
}

/// Checks whether Fluo rejects a character. Fluo checks 16-bit units; a character beyond them is
/// two of these.
fn is_refused(c: char) -> bool {
    matches!(c, '/' | '.' | ':')
        || c.is_control()
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..)
}

/// Returns a name in a form that is safe in a message.
pub(super) fn shown(name: &str) -> String {
    name.chars()
        .take(60)
        .flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_names_that_fluo_accepts() {
        for good in ["a", "web-index_2", "Zählung", "a b", &"x".repeat(255)] {
            assert!(check_application_name(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a/b",
            "a.b",
            "a:b",
            "a\n",
            "\u{7f}",
            "\u{85}",
            "\u{e000}",
            "\u{fffd}",
            "😀",
            &"x".repeat(256),
        ] {
            let message = check_application_name(bad).unwrap_err().to_string();
            assert!(message.contains("cannot be the name of an application: use 1 to 255 letters"));
            assert!(message.len() < 400 && !message.contains('\n'));
        }
    }
}
