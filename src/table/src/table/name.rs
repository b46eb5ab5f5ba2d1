//! Names of tables.

use crate::error::{Error, Result};

/// The maximum length of a table name, in bytes.
const MAX_NAME_BYTES: usize = 1_024;

/// Checks the name of a table: ASCII letters, digits and `_`, and at most one dot, between a
/// namespace and the name.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid); the message states the rule.
pub fn check_table_name(name: &str) -> Result<()> {
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let (namespace, table) = name.split_once('.').unwrap_or(("default", name));
    if name.len() <= MAX_NAME_BYTES && is_word(namespace) && is_word(table) {
        return Ok(());
    }
    let shown: String = name.chars().take(60).flat_map(char::escape_default).collect();
    Err(Error::invalid(format!(
        "`{shown}` cannot be the name of a table: use 1 to {MAX_NAME_BYTES} letters, digits, `_` and one `.`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_names_that_accumulo_accepts() {
        for good in ["a", "A_9", "ns.t"] {
            assert!(check_table_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "a.", ".a", "a.b.c", "a/b", "a\n", "é", &"a".repeat(1_025)] {
            let message = check_table_name(bad).unwrap_err().to_string();
            assert!(message.contains("cannot be the name of a table"), "{message}");
            assert!(message.len() < 400 && !message.contains('\n'));
        }
    }
}
