//! Confirmation before a table is changed or data is deleted.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Result, anyhow, ensure};

use crate::{exit, output};

/// Asks at a terminal for the name of the object to delete. Refuses if standard input is not a
/// terminal.
pub(crate) async fn deletion(question: &str, name: &str, refusal: &str) -> Result<()> {
    if !is_possible() {
        let refusal = format!("{refusal}, because no terminal can confirm it");
        return Err(exit::advised(anyhow!(refusal), "give --yes"));
    }
    expect(&format!("{question} type its name to confirm:"), name, refusal).await
}

/// Checks whether a person can read text and answer.
pub(crate) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks at a terminal for a word; any other answer is a refusal.
pub(crate) async fn expect(question: &str, word: &str, refusal: &str) -> Result<()> {
    output::complain(question);
    let (word, refusal) = (word.to_owned(), refusal.to_owned());
    // On a blocking thread, so Ctrl-C works while it waits.
    tokio::task::spawn_blocking(move || check(&word, &refusal, io::stdin().lock())).await?
}

fn check(word: &str, refusal: &str, mut answers: impl BufRead) -> Result<()> {
    let mut answer = Vec::new();
    answers.read_until(b'\n', &mut answer)?;
    ensure!(answer.trim_ascii_end() == word.as_bytes(), "{refusal}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_the_exact_name() {
        let refusal = "table `pages` was not deleted";
        assert!(check("pages", refusal, b"pages\r\n".as_slice()).is_ok());
        for answer in [b"".as_slice(), b"y\n", b"page\n", b"\xff\n", b" pages\n"] {
            let refused = check("pages", refusal, answer).unwrap_err();
            assert_eq!(refused.to_string(), refusal);
        }
    }
}
