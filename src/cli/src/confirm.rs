//! The question before something is deleted.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Result, bail};

use crate::output;

/// At a terminal, asks for the name of what is to be deleted. A script is not asked: it has said what it wants.
///
/// # Errors
/// `refusal`, if something else is typed.
pub(crate) async fn at_terminal(question: &str, name: &str, refusal: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        return Ok(());
    }
    output::say(&format!("{question} type its name to confirm:"));
    let (name, refusal) = (name.to_owned(), refusal.to_owned());
    // Somewhere else, so that Ctrl-C is an answer too.
    tokio::task::spawn_blocking(move || confirm(&name, &refusal, io::stdin().lock())).await?
}

/// Nothing is deleted unless its name is the answer.
fn confirm(name: &str, refusal: &str, mut answers: impl BufRead) -> Result<()> {
    let mut answer = Vec::new();
    answers.read_until(b'\n', &mut answer)?;
    if answer.trim_ascii_end() != name.as_bytes() {
        bail!("{refusal}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_deleted_only_if_its_name_is_typed() {
        let refusal = "table `pages` was not deleted";
        assert!(confirm("pages", refusal, b"pages\r\n".as_slice()).is_ok());
        for answer in [b"".as_slice(), b"y\n", b"page\n", b"\xff\n", b" pages\n"] {
            let refused = confirm("pages", refusal, answer).unwrap_err();
            assert_eq!(refused.to_string(), refusal);
        }
    }
}
