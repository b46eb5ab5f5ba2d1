//! `fluo key design`.

use anyhow::Result;
use clap::Args;
use comfy_table::Table;
use fluo_keys::{KeyDesign, ScanCost};
use fluo_table::Escaped;
use serde::Serialize;

use crate::chosen_design::{CHOICE, DesignArguments};
use crate::design::{Described, described};
use crate::output;

/// List the designs, or show a page about one
///
/// Without a design, lists all of them. With one, shows the beginning of its keys and their order.
/// For each kind of scan, shows the number of pieces of the table that it reads, or the reason why
/// it is impossible and an alternative. Uses example settings for a design that needs settings if
/// none are given.
#[derive(Args, Debug)]
#[command(
    mut_group(CHOICE, |choice| choice.required(false)),
    after_help = "\
Example:
  $ fluo key design
  $ fluo key design --design modulo
  $ fluo key design --design reversed,length.fixed=6"
)]
pub(crate) struct Design {
    #[command(flatten)]
    design: DesignArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Page {
    design: &'static str,
    about: String,
    /// The example settings, as in --design, if none were given and the design needs some.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
    /// Common beginning of all keys, escaped; empty if there is none.
    prefix: String,
    order: String,
    scans: Vec<ScanOf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    #[serde(skip)]
    settings: Vec<(String, String)>,
}

/// A kind of scan, and its cost.
#[derive(Serialize)]
struct ScanOf {
    /// The kind: row, prefix, range, suffix, a part of the row between two values, or domain.
    by: &'static str,
    #[serde(flatten)]
    cost: ScanCost,
    sentence: String,
}

impl Design {
    pub(crate) fn run(&self) -> Result<()> {
        if self.design.is_empty() {
            return self.list();
        }
        let (design, example) = self.design.design_or_example()?;
        let page = Page::new(&design, example)?;
        if self.json {
            return output::print_json(&page);
        }
        output::print(&drawn(&page))
    }

    fn list(&self) -> Result<()> {
        let designs = described()?;
        if self.json {
            return output::print_json(&designs);
        }
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        for Described { name, about, .. } in designs {
            table.add_row([name, about]);
        }
        output::print(&table.trim_fmt())?;
        output::say("`fluo key design --design NAME` has a page about each");
        Ok(())
    }
}

impl Page {
    fn new(design: &KeyDesign, example: Option<String>) -> Result<Self> {
        let mut described = described()?.into_iter();
        let described = described.find(|described| described.name == design.name());
        let scans = design.scans();
        let scans = [
            ("row", scans.by_row),
            ("prefix", scans.by_prefix),
            ("range", scans.by_range),
            ("suffix", scans.by_suffix),
            ("part", scans.between),
            ("domain", scans.by_domain),
        ];
        Ok(Self {
            design: design.name(),
            about: design.to_string(),
            example,
            prefix: Escaped(&design.prefix()).to_string(),
            order: design.order().to_string(),
            scans: scans.map(|(by, cost)| ScanOf::of(by, cost)).into(),
            group: design.group_regex().map(|regex| format!("({regex}).*")),
            settings: described
                .map(|described| described.settings)
                .unwrap_or_default(),
        })
    }
}

impl ScanOf {
    fn of(by: &'static str, cost: ScanCost) -> Self {
        let sentence = cost.to_string();
        Self { by, cost, sentence }
    }
}

fn drawn(page: &Page) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let mut add = |name: String, text: &str| {
        table.add_row([name, text.to_owned()]);
    };
    add("design".to_owned(), &page.about);
    if let Some(example) = &page.example {
        let example = format!("{example}, as this design needs settings and none were given");
        add("example".to_owned(), &example);
    }
    let begin = match page.prefix.as_str() {
        "" => "can begin with any bytes, so the design must be alone in its table".to_owned(),
        prefix => format!("begin with {prefix}"),
    };
    add("keys".to_owned(), &begin);
    add("order".to_owned(), &page.order);
    for scan in &page.scans {
        add(format!("by {}", scan.by), &scan.sentence);
    }
    let none = "none: all tablets of the table are spread as one, which every balancer does";
    add("group".to_owned(), page.group.as_deref().unwrap_or(none));
    for (name, about) in &page.settings {
        add(format!("with {name}"), about);
    }
    table.trim_fmt()
}
