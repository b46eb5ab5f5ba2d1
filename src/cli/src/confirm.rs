//! Confirmation before data is deleted.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Result, ensure};

/// Asks at a terminal for the name of the object to delete; any other answer is a refusal. Does not
/// ask a script.
pub(crate) async fn at_terminal(question: &str, name: &str, refusal: &str) -> Result<()> {
    if !io::stdin().is_terminal() {
        return Ok(());
    }
    say!("{question} type its name to confirm:");
    let (name, refusal) = (name.to_owned(), refusal.to_owned());
    // On a blocking thread, so Ctrl-C works while it waits.
    tokio::task::spawn_blocking(move || confirm(&name, &refusal, io::stdin().lock())).await?
}

fn confirm(name: &str, refusal: &str, mut answers: impl BufRead) -> Result<()> {
    let mut answer = Vec::new();
    answers.read_until(b'\n', &mut answer)?;
    ensure!(answer.trim_ascii_end() == name.as_bytes(), "{refusal}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_the_exact_name() {
        let refusal = "table `pages` was not deleted";
        assert!(confirm("pages", refusal, b"pages\r\n".as_slice()).is_ok());
        for answer in [b"".as_slice(), b"y\n", b"page\n", b"\xff\n", b" pages\n"] {
            let refused = confirm("pages", refusal, answer).unwrap_err();
            assert_eq!(refused.to_string(), refusal);
        }
    }
}
