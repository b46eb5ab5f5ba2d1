//! Names of the table properties that this project reads or sets. They are defined by Accumulo.

use super::shown;
use crate::error::{Error, Result};

/// The class of the balancer that places the tablets of a table.
pub const BALANCER: &str = "table.balancer";
/// The regular expression of the group balancer, with one capturing group. It is matched on the end
/// row of a tablet; the captured text names the group.
pub const GROUP_PATTERN: &str = "table.custom.balancer.group.regex.pattern";
/// The group of tablets that the pattern does not match.
pub const GROUP_DEFAULT: &str = "table.custom.balancer.group.regex.default";
/// The name of the class path from which the servers load the classes of a table.
pub const CLASS_PATH: &str = "table.classpath.context";

/// Checks the name of a table property: it starts with `table.` and has no control characters,
/// blanks or `=`.
///
/// # Errors
///
/// [`Invalid`](crate::ErrorKind::Invalid); the message states the rule.
pub fn check(name: &str) -> Result<()> {
    let is_clean = name.chars().all(|c| !c.is_control() && !c.is_whitespace() && c != '=');
    if is_clean && name.strip_prefix("table.").is_some_and(|rest| !rest.is_empty()) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "`{}` is not a table property: a name starts with `table.` and has no blanks, control characters or `=`",
        shown(name)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_start_with_table() {
        assert!(
            check(BALANCER).is_ok() && check(GROUP_PATTERN).is_ok() && check(GROUP_DEFAULT).is_ok()
        );
        for bad in ["", "table.", "tserver.x", "table.a b", "table.a\n", "table.a=b"] {
            assert!(
                check(bad).unwrap_err().to_string().contains("is not a table property"),
                "{bad}"
            );
        }
    }
}
