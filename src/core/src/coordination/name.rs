//! Names of applications.

use crate::error::{Error, Result};

/// Longest name of an application, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// Checks an application's name: it is one part of a path in ZooKeeper, as Fluo's are.
///
/// Not empty, and without `/`, `.`, `:`, control characters, private-use characters and those beyond 16 bits.
///
/// # Errors
/// [`Invalid`](crate::ErrorKind::Invalid), saying what a name may be.
///
/// ```
/// use fluo_core::coordination::check_application_name;
///
/// assert!(check_application_name("web index").is_ok());
/// assert!(check_application_name("web/index").is_err());
/// ```
pub fn check_application_name(name: &str) -> Result<()> {
    if (1..=MAX_NAME_BYTES).contains(&name.len()) && !name.chars().any(is_refused) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` cannot be the name of an application: a name has 1 to {MAX_NAME_BYTES} bytes, and no `/`, `.`, `:`, \
         control character, private-use character or character beyond U+FFEF",
        shown(name)
    )))
}

/// What Fluo refuses of the 16-bit characters that Java knows; a character beyond them is two of these.
fn is_refused(c: char) -> bool {
    matches!(c, '/' | '.' | ':')
        || c.is_control()
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..)
}

/// A name as it may stand in a message, whatever is in it.
pub(super) fn shown(name: &str) -> String {
    name.chars()
        .take(60)
        .flat_map(|c| match c.is_control() {
            true => c.escape_default().collect::<Vec<_>>(),
            false => vec![c],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_fluos() {
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
            assert!(
                message.contains("cannot be the name of an application: a name has 1 to 255 bytes")
            );
            assert!(message.len() < 400 && !message.contains('\n'));
        }
    }
}
