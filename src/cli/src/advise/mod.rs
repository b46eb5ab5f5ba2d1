//! `fluo advise`: the properties of keys, the effect of each key design, and the design to use.

mod bars;
mod figures;
mod heat_map;
mod input;
mod page;
mod shown_spec;
mod text;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser,
};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use fluo_advisor::{
    AdviceOptions, AdvisedDesign, AdvisedSpec, AdvisorReport, Arrivals, Candidate, Decision, Read,
    advise,
};
use fluo_keys::KeyDesign;
use fluo_process::Profile;
use fluo_table::check_table_name;
use serde::Serialize;

use self::figures::Answer;
use self::input::Source;
use crate::atomic_file::Kind;
use crate::encoding::Encoding;
use crate::exit::{self, Outcome};
use crate::spec::{self, Expected, Layout, Recipe};
use crate::target::{AtParser, LoginArguments, TargetArguments, check_exists};
use crate::text::in_shell;
use crate::{atomic_file, lines, output};

/// Examine keys, and advise how to spread them.
///
/// Reads keys in their order of arrival, one a line, in one pass and bounded memory. Tries each key
/// design on a sample, and recommends the best, with a spec file; exits 1 if none suits. With --at,
/// samples the rows of a table, and uses its servers, tablets and designs. Keys with a hash, a
/// computed salt or a design of --spec keep it. With FLUO_AT, a path or - is a file.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo advise --servers 5 keys.txt
  zcat keys.gz | fluo advise --servers 5 --reads range --html report.html -
  fluo advise --at embedded:./data pages
  fluo advise --spec mine.toml keys.txt")]
pub(crate) struct Advise {
    /// The file of keys, one a line, or - for standard input; with --at, the table
    #[arg(value_name = "FILE")]
    what: PathBuf,
    /// Read the table, even if a file has its name
    #[arg(long = "table", requires = "at")]
    is_table: bool,
    // Before the location, which is removed from the matches.
    #[command(flatten)]
    is_at_given: IsAtGiven,
    /// Location of the table: embedded:DIR, proxy:HOST:PORT of a live Accumulo, or the name of a
    /// profile
    #[arg(long, value_name = "TARGET", env = "FLUO_AT", hide_env_values = true, value_parser = AtParser)]
    at: Option<Profile>,
    #[command(flatten)]
    login: LoginArguments,
    /// Encoding of the keys in the file
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
    /// Ignore the order of the keys in the file
    #[arg(long)]
    unordered: bool,
    /// Rows of a table to read
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "at",
        value_parser = clap::value_parser!(u64).range(1..))]
    rows: u64,
    /// Label of visibilities to read the table with; repeat it for each
    #[arg(long = "authorization", value_name = "LABEL", value_parser = NonEmptyStringValueParser::new(), requires = "at")]
    authorizations: Vec<String>,
    #[command(flatten)]
    table: TableArguments,
    /// Also try the designs of this spec, in the tablets that it names
    #[arg(long, value_name = "FILE.toml")]
    spec: Option<PathBuf>,
    /// Write a page with pictures
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Write the recommended spec, and keep what its file expects
    #[arg(long, value_name = "FILE.toml")]
    write_spec: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The table that the keys are for")]
struct TableArguments {
    /// Number of servers, from 1 on; by default those of the table with --at, or else 1
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    servers: Option<u32>,
    /// Number of tablets, 1 to 65,536; by default those of the table with --at, or else 4 for each
    /// server
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    tablets: Option<u32>,
    /// Ways to read rows other than one by one; separate several by commas
    #[arg(long, value_parser = reads(), value_delimiter = ',')]
    reads: Vec<Read>,
    /// Rows are only read as --reads states
    #[arg(long, requires = "reads")]
    scans_only: bool,
}

/// Returns the parser of a way to read rows, which lists them in the help.
fn reads() -> impl TypedValueParser<Value = Read> {
    const READS: [(&str, Read, &str); 4] = [
        ("prefix", Read::Prefix, "All rows with a prefix"),
        ("range", Read::Range, "All rows between two"),
        ("field", Read::Field, "All rows with one leading field"),
        ("domain", Read::Domain, "All pages of a domain and of its subdomains"),
    ];
    let values = READS.map(|(name, _, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).try_map(|given| {
        let named = READS.into_iter().find(|(name, ..)| *name == given);
        named.map(|(_, read, _)| read).ok_or("it is none of the values")
    })
}

/// `true` if the command line has `--at`. FLUO_AT sets it for all commands, and not only for a
/// table of keys.
#[derive(Debug)]
struct IsAtGiven(bool);

impl FromArgMatches for IsAtGiven {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(matches.value_source("at") == Some(ValueSource::CommandLine)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for IsAtGiven {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

const PAGE: Kind = Kind { name: "page", check_content: page::check };
const SPEC: Kind = Kind { name: "spec", check_content: |path| spec::recipes(path).and(Ok(())) };

/// The spec file: what is advised, and what the user expects already.
#[derive(Serialize)]
struct SpecFile<'a> {
    #[serde(flatten)]
    expected: Expected,
    #[serde(flatten)]
    advised: &'a AdvisedSpec,
}

/// The place of the keys.
enum Keys {
    /// A file, or standard input.
    File(PathBuf),
    Table(Box<TargetArguments>, String),
}

impl Advise {
    pub(crate) async fn run(&self) -> Result<Outcome> {
        let keys = self.keys().await?;
        self.check_files(&keys)?;
        let answer = self.answer(&keys).await?;
        self.write(&answer)?;
        Ok(Outcome::of(answer.report.decision != Decision::NoDesign))
    }

    /// Decides between the file and the table of this name.
    async fn keys(&self) -> Result<Keys> {
        let file = Keys::File(self.what.clone());
        let Some(at) = &self.at else {
            return Ok(file);
        };
        let name = self.what.to_string_lossy().into_owned();
        let is_table = self.is_table || self.is_at_given.0;
        match check_table_name(&name) {
            Err(error) if is_table => {
                let option = if self.is_at_given.0 { "--at" } else { "--table" };
                return Err(exit::advised(error, format!("omit {option} for a file")));
            }
            Err(_) => return Ok(file),
            Ok(()) => {}
        }
        let target = Box::new(TargetArguments { at: at.clone(), login: self.login.clone() });
        if is_table || self.what.metadata().map_or(true, |found| found.is_dir()) {
            return Ok(Keys::Table(target, name));
        }
        let advised = |error: anyhow::Error| {
            exit::advised(error, format!("write ./{name} for the file, or --table {name}"))
        };
        let tables = target.open().await.map_err(advised)?;
        if tables.table_exists(&name).await? {
            return Err(advised(anyhow!("`{name}` is a file and a table")));
        }
        say!("reading the file {name}, because {at} has no such table");
        Ok(file)
    }

    /// Checks that the command does not overwrite a file that it reads.
    fn check_files(&self, keys: &Keys) -> Result<()> {
        let written = [(&self.html, PAGE), (&self.write_spec, SPEC)];
        let written = written.iter().filter_map(|(path, kind)| Some((path.as_ref()?, kind)));
        let keys = match keys {
            Keys::File(path) if !lines::is_standard_input(path) => Some(path),
            _ => None,
        };
        let read = [(keys, "the file of keys"), (self.spec.as_ref(), "the spec to be tried")];
        for (path, kind) in written.clone() {
            for (read, is) in read {
                if let Some(read) = read {
                    atomic_file::check_is_another(path, read, is)
                        .with_context(|| cannot_write(kind.name, path))?;
                }
            }
        }
        let both = self.html.as_deref().zip(self.write_spec.as_deref());
        if both.is_some_and(|(page, spec)| page == spec || atomic_file::is_one_file(page, spec)) {
            bail!(misuse!("--html and --write-spec name one file: give each a file of its own"));
        }
        for (path, kind) in written {
            kind.check(path).with_context(|| cannot_write(kind.name, path))?;
        }
        Ok(())
    }

    async fn answer(&self, keys: &Keys) -> Result<Answer> {
        // First, so that an invalid spec is reported before anything is read.
        let tried = self.spec.as_deref().map(spec::recipes_and_expected).transpose()?;
        let (tried, mut expected) = tried.unwrap_or_default();
        let source = match keys {
            Keys::File(path) => {
                let is_of_table = !self.authorizations.is_empty();
                ensure!(
                    !is_of_table,
                    misuse!("--authorization is for a table; omit it for a file")
                );
                let arrivals =
                    if self.unordered { Arrivals::Unordered } else { Arrivals::AsWritten };
                Source::of_file(path, self.encoding, arrivals).await?
            }
            // A table returns its rows in their order.
            Keys::Table(target, name) => {
                let is_of_file = self.encoding != Encoding::default();
                ensure!(
                    !is_of_file,
                    misuse!("--encoding is for a file of keys; omit it for a table")
                );
                let labels = self.authorizations.iter().cloned().collect();
                let tables = target.open().await?;
                let exists = check_exists(&*tables, name).await;
                match self.is_table || self.is_at_given.0 {
                    true => exists?,
                    false => exists.with_context(|| format!("there is no file `{name}`"))?,
                }
                let arrivals = Arrivals::Unordered;
                Source::of_table(&tables, name, labels, self.rows, arrivals).await?
            }
        };
        ensure!(source.profile.keys > 0, "there are no keys in {}: give at least one", source.name);
        let (profile, table, wanted) = (source.profile, source.table, &self.table);
        let servers = wanted.servers.or_else(|| Some(table.as_ref()?.servers));
        let advice = AdviceOptions::new()
            .servers(servers.unwrap_or(1))
            .tablets(wanted.tablets)
            .reads(wanted.reads.iter().copied())
            .scans_only(wanted.scans_only)
            .table(table);
        let own = self.own_designs(&tried, advice.advised_tablets()?);
        let advice = advice.also(own);
        let mut report = tokio::task::spawn_blocking(move || advise(profile, &advice)).await??;
        if let Some(spec) = &mut report.spec {
            let path = self.write_spec.as_deref().unwrap_or(Path::new(""));
            let kept = self.keep_earlier(spec, &tried);
            let kept = kept.with_context(|| cannot_write(SPEC.name, path))?;
            expected = kept.unwrap_or(expected);
        }
        let advised = report.spec.as_ref().map(|advised| SpecFile { expected, advised });
        let mut spec = advised.map(|file| toml::to_string_pretty(&file)).transpose()?;
        // A table can have keys of recipes that no spec has together.
        let name = self.write_spec.as_deref().map_or("the spec".to_owned(), spec::name_of);
        let checked = spec.as_deref().map(|text| spec::check(&name, text)).transpose();
        let refusal = match (checked, &self.write_spec) {
            (Ok(_), _) => None,
            (Err(error), Some(path)) => return Err(error.context(cannot_write(SPEC.name, path))),
            (Err(error), None) => spec.take().map(|_| format!("There is no spec: {error}.")),
        };
        let (name, cut_short) = (source.name, source.cut_short);
        let next = refusal.unwrap_or_else(|| self.next(keys, &report));
        Ok(Answer { source: name, cut_short, report, spec, next })
    }

    /// Adds the earlier designs of the spec that is tried, and of the file that is replaced: rows
    /// may still have them, and they are not recipes of their own. Refuses to replace a file with
    /// earlier designs of another design. Returns the expectations of the file that is replaced.
    fn keep_earlier(&self, spec: &mut AdvisedSpec, tried: &[Recipe]) -> Result<Option<Expected>> {
        let path = self.write_spec.as_deref().filter(|path| atomic_file::has_content(path));
        let replaced = path.map(spec::recipes_and_expected).transpose()?;
        let (replaced, expected) = replaced.unzip();
        let replaced = replaced.unwrap_or_default();
        let of = |recipe: &Recipe, one: &AdvisedDesign| one.settings == *recipe.design.settings();
        let has_earlier = |recipe: &&Recipe| recipe.earlier().next().is_some();
        for recipe in tried.iter().chain(&replaced).filter(has_earlier) {
            for advised in spec.key_design.iter_mut().filter(|one| of(recipe, one)) {
                for earlier in recipe.earlier().map(KeyDesign::settings) {
                    if !advised.before.contains(earlier) {
                        advised.before.push(earlier.clone());
                    }
                }
            }
        }
        // Its split points may be there until the end of a migration, and after it.
        let earlier: Vec<_> = spec.key_design.iter().flat_map(|one| one.before.clone()).collect();
        spec.key_design.retain(|one| !earlier.contains(&one.settings));
        let is_lost = |recipe: &&Recipe| !spec.key_design.iter().any(|one| of(recipe, one));
        if let Some(lost) = replaced.iter().filter(has_earlier).find(is_lost) {
            let name = lost.name();
            let error = anyhow!("it has earlier designs of {name}, which is not advised");
            let advice =
                "remove them once `fluo table migrate` has moved all rows, or name another file";
            return Err(exit::advised(error, advice));
        }
        Ok(expected)
    }

    fn own_designs(&self, recipes: &[Recipe], wanted: u32) -> Vec<Candidate> {
        let path = self.spec.as_deref().unwrap_or(Path::new(""));
        let name = path.file_name().unwrap_or(path.as_os_str()).display();
        let candidate = |recipe: &Recipe| {
            let tablets = match (&recipe.layout, self.table.tablets) {
                (_, Some(given)) => given,
                (Layout::Tablets(tablets), None) => *tablets,
                (Layout::At(_), None) => wanted,
            };
            let design = recipe.design.name();
            let label = match recipe.design.row_hasher() {
                Some(hasher) => format!("{design} `{}` of {name}", hasher.prefix()),
                None => format!("{design} of {name}"),
            };
            Candidate::new(label, recipe.design.settings().clone(), tablets)
        };
        recipes.iter().map(candidate).collect()
    }

    fn write(&self, answer: &Answer) -> Result<()> {
        if self.write_spec.is_some() && answer.spec.is_none() {
            bail!("no design can be advised for these keys, so there is no spec file to write");
        }
        let page = self.html.as_ref().map(|path| (path, PAGE, page::page(answer)));
        let spec = self.write_spec.as_ref().zip(answer.spec.clone());
        let spec = spec.map(|(path, spec)| (path, SPEC, spec));
        let files = || page.iter().chain(&spec);
        for (path, kind, text) in files() {
            kind.write(path, text.as_bytes()).with_context(|| cannot_write(kind.name, path))?;
        }
        if output::is_json() {
            output::print_json(answer)?;
        } else {
            output::print(&text::lines(answer))?;
        }
        for (path, kind, _) in files() {
            say!("wrote the {} {}", kind.name, path.display());
        }
        Ok(())
    }

    /// Returns the next step: the command that compares the spec with the table. Rows that the spec
    /// moves are the step after it.
    fn next(&self, keys: &Keys, report: &AdvisorReport) -> String {
        let (at, table) = match keys {
            Keys::Table(target, name) => (in_shell(&target.at), in_shell(name)),
            Keys::File(_) => ("TARGET".to_owned(), "TABLE".to_owned()),
        };
        let (first, spec) = match &self.write_spec {
            Some(path) => ("", in_shell(path.display())),
            None => ("write it with --write-spec FILE.toml; ", "FILE.toml".to_owned()),
        };
        let mut designs = report.spec.iter().flat_map(|spec| &spec.key_design);
        let then = match designs.any(|design| !design.before.is_empty()) {
            true => " After `apply`, `fluo table migrate` moves the rows.",
            false => "",
        };
        format!(
            "Next: {first}`fluo table plan --at {at} --spec {spec} {table}` shows what it changes.{then}"
        )
    }
}

fn cannot_write(what: &str, path: &Path) -> String {
    format!("cannot write the {what} {}", path.display())
}
