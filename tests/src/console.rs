//! Pages whose `console` blocks are run, and must print what they say.

use std::path::Path;
use std::process::{Command, Stdio};

/// A command of a page, and what the page says that it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleCommand {
    /// The command, for `sh`.
    pub command: String,
    /// What follows it on the page, up to the next command. `[..]` stands for anything within a line.
    pub expected: String,
}

impl ConsoleCommand {
    /// The commands of all `console` blocks of a page in Markdown. A command starts with `$ `; a line that starts with
    /// `> ` goes on with the command before it.
    pub fn of_page(page: &str) -> Vec<Self> {
        let blocks = page
            .split("```console\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next());
        let mut commands: Vec<Self> = Vec::new();
        for line in blocks.flat_map(str::lines) {
            if let Some(command) = line.strip_prefix("$ ") {
                let (command, expected) = (command.to_owned(), String::new());
                commands.push(Self { command, expected });
            } else if let Some(last) = commands.last_mut() {
                last.go_on(line);
            }
        }
        commands
    }

    fn go_on(&mut self, line: &str) {
        let (text, line) = match line.strip_prefix("> ") {
            Some(more) if self.expected.is_empty() => (&mut self.command, format!("\n{more}")),
            _ => (&mut self.expected, format!("{line}\n")),
        };
        text.push_str(&line);
    }

    /// Runs the command in a directory, with `fluo` from another, and says what it printed on both outputs, without
    /// the blanks at the ends of lines.
    ///
    /// # Errors
    /// `sh` cannot be run.
    pub fn run(
        &self,
        directory: &Path,
        binaries: &Path,
        environment: &[(&str, &str)],
    ) -> std::io::Result<String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{}", self.command)])
            .current_dir(directory)
            .env("PATH", format!("{}:{path}", binaries.display()))
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .output()?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(printed
            .lines()
            .map(|line| format!("{}\n", line.trim_end()))
            .collect())
    }

    /// Whether this is what the page says.
    pub fn expects(&self, printed: &str) -> bool {
        let same = |(expected, printed): (&str, &str)| match expected.split_once("[..]") {
            None => expected == printed,
            Some((start, end)) => {
                let end = end.rsplit("[..]").next().unwrap_or(end);
                printed.starts_with(start) && printed.ends_with(end)
            }
        };
        self.expected.lines().count() == printed.lines().count()
            && self.expected.lines().zip(printed.lines()).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_commands_and_what_they_print() {
        let page = "text\n```console\n$ a \\\n> b\none [..] s\ntwo\n$ c\n```\n```sh\n$ d\n```\n";
        let [first, second] = &ConsoleCommand::of_page(page)[..] else {
            panic!("two commands")
        };
        assert_eq!(
            (first.command.as_str(), second.command.as_str()),
            ("a \\\nb", "c")
        );
        assert!(first.expects("one after 7 s\ntwo\n"));
        assert!(!first.expects("one after 7 m\ntwo\n") && !first.expects("one s\n"));
        assert!(second.expects("") && !second.expects("x\n"));
    }
}
