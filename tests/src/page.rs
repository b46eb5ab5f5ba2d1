//! Documentation pages whose commands run as tests.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::shell::Shell;

/// The commands of a Markdown page, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    name: String,
    commands: Vec<ConsoleCommand>,
}

/// A command, with the output that the page shows for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConsoleCommand {
    /// The command line, for `sh`.
    command: String,
    /// The text up to the next command. `[..]` matches any text within a line.
    expected: String,
}

impl Page {
    /// Returns all pages of the repository that have blocks of a kind, sorted by name. The kind is
    /// the text after the fence: `console`.
    ///
    /// # Errors
    ///
    /// A folder or a page cannot be read.
    pub fn all(kind: &str) -> io::Result<Vec<Self>> {
        let (root, mut pages) = (repository(), Vec::new());
        for path in pages_below(&root)? {
            let commands = commands(&fs::read_to_string(&path)?, kind);
            if !commands.is_empty() {
                let name = path.strip_prefix(&root).unwrap_or(&path);
                let name = name.display().to_string();
                pages.push(Self { name, commands });
            }
        }
        pages.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(pages)
    }

    /// Returns the path of the page in the repository.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs the commands in order in one shell, and returns the first one whose output differs from
    /// the page, with its output. Programs in the background end with the shell.
    ///
    /// Programs in the folder `programs`, such as `fluo`, take precedence. The commands run in an
    /// empty folder two levels below the root of the repository, as the pages instruct their
    /// readers. `rewrite` changes each command and each expected line, for example to insert an
    /// address.
    ///
    /// # Errors
    ///
    /// The folder cannot be created, or `sh` cannot be run.
    pub fn first_difference(
        &self,
        programs: &Path,
        environment: &[(&str, &str)],
        rewrite: impl Fn(&str) -> String,
    ) -> io::Result<Option<String>> {
        let target = repository().join("target");
        fs::create_dir_all(&target)?;
        let folder = tempfile::Builder::new().prefix("page-").tempdir_in(target)?;
        let mut shell = Shell::start(folder.path(), programs, environment)?;
        for command in &self.commands {
            let text = rewrite(&command.command);
            let printed = shell.run(&text)?;
            let expected = rewrite(&command.expected);
            if !is_expected(&expected, &printed) {
                return Ok(Some(format!(
                    "$ {text}\nshould print:\n{expected}\nand printed:\n{printed}"
                )));
            }
        }
        Ok(None)
    }
}

/// Returns the folder of the repository.
fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

/// Returns the pages in a folder and in all folders below it, except hidden folders and `target`.
fn pages_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let is_skipped = name.to_string_lossy().starts_with('.') || name == "target";
        if entry.file_type()?.is_dir() && !is_skipped {
            pages.extend(pages_below(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(pages)
}

/// Returns the commands of all blocks of a kind. A command starts with `$ `. A line that starts
/// with `> ` continues the command before it.
fn commands(page: &str, kind: &str) -> Vec<ConsoleCommand> {
    let fence = format!("```{kind}\n");
    let blocks = page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
    let mut commands: Vec<ConsoleCommand> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        if let Some(command) = line.strip_prefix("$ ") {
            let (command, expected) = (command.to_owned(), String::new());
            commands.push(ConsoleCommand { command, expected });
        } else if let Some(last) = commands.last_mut() {
            last.append(line);
        }
    }
    commands
}

impl ConsoleCommand {
    fn append(&mut self, line: &str) {
        // An editor may strip the blank after the mark of an empty line.
        let more = line.strip_prefix("> ").or((line == ">").then_some(""));
        let (text, line) = match more {
            Some(more) if self.expected.is_empty() => (&mut self.command, format!("\n{more}")),
            _ => (&mut self.expected, format!("{line}\n")),
        };
        text.push_str(&line);
    }
}

/// Checks whether an output matches the page.
fn is_expected(expected: &str, printed: &str) -> bool {
    expected.lines().count() == printed.lines().count()
        && expected.lines().zip(printed.lines()).all(matches)
}

/// Checks whether a printed line matches an expected one, in which `[..]` is any text.
fn matches((expected, printed): (&str, &str)) -> bool {
    let Some((start, rest)) = expected.split_once("[..]") else { return expected == printed };
    let Some(mut printed) = printed.strip_prefix(start) else { return false };
    let (middle, end) = rest.rsplit_once("[..]").unwrap_or(("", rest));
    for part in middle.split("[..]") {
        match printed.split_once(part) {
            Some((_, after)) => printed = after,
            None => return false,
        }
    }
    printed.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_commands_and_their_expected_output() {
        let page = "text\n```console\n$ a \\\n>\n> b\none [..] s\ntwo\n$ c\n```\n```sh\n$ d\n```\n```console live\n$ e\n```\n";
        let [first, second] = &commands(page, "console")[..] else { panic!("two commands") };
        assert_eq!((first.command.as_str(), second.command.as_str()), ("a \\\n\nb", "c"));
        let first = |printed| is_expected(&first.expected, printed);
        assert!(first("one after 7 s\ntwo\n"));
        assert!(!first("one after 7 m\ntwo\n") && !first("one s\n"));
        assert_eq!(second.expected, "");
        assert!(matches(("a [..] b [..] c", "a 1 b 2 c")));
        assert!(!matches(("a [..] b [..] c", "a 1 2 c")) && !matches(("a [..] b", "a b")));
        assert_eq!(commands(page, "console live").len(), 1);
    }

    #[test]
    fn returns_the_first_command_with_unexpected_output() {
        let page = "```console\n$ sleep 60 & name=file\n$ echo here > $name\n$ cat file\nhere\n$ cat NAME; pwd\nthere\n```\n";
        let page = Page { name: "a page".to_owned(), commands: commands(page, "console") };
        let rewrite = |command: &str| command.replace("NAME", "file");
        let difference = page.first_difference(Path::new(""), &[], rewrite);
        let difference = difference.unwrap().unwrap();
        let start = "$ cat file; pwd\nshould print:\nthere\n\nand printed:\nhere\n";
        assert!(difference.starts_with(start), "{difference}");
        assert!(difference.contains("/target/page-"), "{difference}");
    }
}
