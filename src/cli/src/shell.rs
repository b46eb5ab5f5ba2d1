//! `fluo completions` and `fluo man`: files for the shell, made from the arguments of all commands.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use anyhow::{Context, Result, ensure};
use clap::builder::EnumValueParser;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use memchr::memmem;

use crate::atomic_file::{self, Kind};
use crate::design::Name;
use crate::exit::Outcome;
use crate::help::Text;
use crate::output;
use crate::text::{count_of, counted};

const PAGE: Kind = Kind {
    name: "manual page of `fluo`",
    check_content: |path| {
        let is_page = memmem::find(&atomic_file::read(path)?, b"\n.TH fluo").is_some();
        ensure!(is_page, "`fluo man` did not write it");
        Ok(())
    },
};

/// Print the script that completes arguments in a shell
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo completions bash > ~/.local/share/bash-completion/completions/fluo
  fluo completions zsh > ~/.zfunc/_fluo
  fluo completions fish > ~/.config/fish/completions/fluo.fish

Bash reads the file if the package bash-completion is installed. For zsh, write `fpath=(~/.zfunc $fpath)` before
`compinit` in ~/.zshrc.")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write a manual page for each command
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo man --dir ~/.local/share/man/man1
  man fluo-table-load

Makes the directory if it does not exist. The pages have the date of today, or that of SOURCE_DATE_EPOCH.")]
pub(crate) struct Manual {
    /// Directory of the pages: fluo.1, fluo-table.1, fluo-table-load.1 and so on
    #[arg(long)]
    dir: PathBuf,
}

impl Completions {
    pub(crate) fn run(&self, command: Command) -> Result<Outcome> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut with_designs(command), "fluo", &mut script);
        output::write(&script)?;
        Ok(Outcome::Success)
    }
}

/// Completes the names of the designs, which the values of arguments begin with.
fn with_designs(command: Command) -> Command {
    let command = command.mut_args(|arg| match arg.get_id() == "design" {
        true => arg.value_parser(EnumValueParser::<Name>::new()),
        false => arg,
    });
    command.mut_subcommands(with_designs)
}

impl Manual {
    pub(crate) fn run(&self, command: Command) -> Result<Outcome> {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let cannot = || format!("cannot write manual pages to {}", self.dir.display());
        fs::create_dir_all(&self.dir).with_context(cannot)?;
        let pages = pages(&command, &date())?;
        let files = || pages.iter().map(|(name, page)| (self.dir.join(name), page));
        let cannot = |path: &Path| format!("cannot write {}", path.display());
        // No page is written if one of them cannot be.
        for (path, _) in files() {
            PAGE.check(&path).with_context(|| cannot(&path))?;
        }
        for (path, page) in files() {
            PAGE.write(&path, page).with_context(|| cannot(&path))?;
        }
        let count = count_of(pages.len());
        say!("wrote {} to {}", counted(count, "manual page"), self.dir.display());
        Ok(Outcome::Success)
    }
}

/// Returns the date of the pages: today, or that of a build that can be repeated.
fn date() -> String {
    let set = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse::<u32>().ok());
    let at = |seconds: u32| UNIX_EPOCH + Duration::from_secs(seconds.into());
    let mut date = humantime::format_rfc3339(set.map_or_else(SystemTime::now, at)).to_string();
    date.truncate("YYYY-MM-DD".len());
    date
}

/// Returns the pages of a command and of all below it, with the names of their files.
fn pages(command: &Command, date: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
    let source = concat!("fluo ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).date(date).source(source).manual("Fluo for Rust");
    let mut all = vec![(man.get_filename(), page(command, &man)?)];
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        all.extend(pages(below, date)?);
    }
    Ok(all)
}

fn page(command: &Command, man: &Man) -> io::Result<Vec<u8>> {
    let Text { examples, details } = Text::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    page.extend(synopsis(command).into_bytes());
    page.extend(b".SH DESCRIPTION\n");
    for paragraph in command.get_about().map(ToString::to_string).iter().chain(&details) {
        page.extend(format!(".PP\n{}", roff(paragraph)).into_bytes());
    }
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let examples: String = examples.lines().skip(1).map(|line| format!("{line}\n")).collect();
    page.extend(format!(".SH EXAMPLES\n.nf\n{}.fi\n", roff(&examples)).into_bytes());
    Ok(page)
}

/// Returns the usage as the help has it, without a list of all options.
fn synopsis(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let name = command.get_bin_name().unwrap_or_default();
    let arguments = usage.strip_prefix(name).unwrap_or(usage);
    format!(".SH SYNOPSIS\n\\fB{}\\fR{}", roff(name).trim_end(), roff(arguments))
}

/// Escapes lines of text. Keeps the breaks of indented lines, as roff does.
fn roff(text: &str) -> String {
    let escaped = |line: &str| {
        let line = line.replace('\\', r"\e").replace('-', r"\-").replace('\'', r"\(aq");
        let guard = if line.starts_with('.') { r"\&" } else { "" };
        format!("{guard}{line}\n")
    };
    text.lines().map(escaped).collect()
}
