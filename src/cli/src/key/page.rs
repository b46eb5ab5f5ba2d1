//! `fluo key design`.

use anyhow::Result;
use clap::Args;
use fluo_keys::{KeyDesign, ScanCost};
use fluo_table::Escaped;
use serde::Serialize;
use serde_json::json;

use crate::chosen_design::{CHOICE, DesignArguments};
use crate::design::described;
use crate::layout::Columns;
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
  $ fluo key design modulo
  $ fluo key design --design reversed,length.fixed=6"
)]
pub(crate) struct Design {
    /// Name of a design
    #[arg(conflicts_with = CHOICE)]
    name: Option<String>,
    #[command(flatten)]
    design: DesignArguments,
}

impl Design {
    pub(super) fn run(&self) -> Result<()> {
        if self.name.is_none() && self.design.is_empty() {
            let designs = described()?;
            if output::is_json() {
                return output::print_json(&json!({ "designs": designs }));
            }
            let mut table = Columns::unnamed();
            for described in designs {
                table.row([described.name, described.about]);
            }
            output::print(&table.lines())?;
            say!("`fluo key design NAME` has a page about each");
            return Ok(());
        }
        let (design, example) = self.design.design_or_example(self.name.as_deref())?;
        let page = Page::new(&design, example)?;
        if output::is_json() { output::print_json(&page) } else { output::print(&page.text()) }
    }
}

#[derive(Serialize)]
struct Page {
    design: &'static str,
    about: String,
    /// The example settings, if the design needs some and none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
    prefix: String,
    order: String,
    scans: Vec<ScanBy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    settings: Vec<Setting>,
}

#[derive(Serialize)]
struct Setting {
    name: String,
    meaning: String,
}

#[derive(Serialize)]
struct ScanBy {
    by: &'static str,
    #[serde(flatten)]
    cost: ScanCost,
    sentence: String,
}

impl Page {
    fn new(design: &KeyDesign, example: Option<String>) -> Result<Self> {
        let known = described()?.into_iter().find(|known| known.name == design.name());
        let settings = known.into_iter().flat_map(|known| known.settings);
        let settings = settings.map(|(name, meaning)| Setting { name, meaning }).collect();
        let scans = design.scans();
        let scans = [
            ("row", scans.by_row),
            ("prefix", scans.by_prefix),
            ("range", scans.by_range),
            ("suffix", scans.by_suffix),
            ("part", scans.between),
            ("domain", scans.by_domain),
        ];
        let scan = |(by, cost): (_, ScanCost)| ScanBy { by, sentence: cost.to_string(), cost };
        Ok(Self {
            design: design.name(),
            about: design.to_string(),
            example,
            prefix: Escaped(&design.prefix()).to_string(),
            order: design.order().to_string(),
            scans: scans.map(scan).into(),
            group: design.group_regex().map(|regex| format!("({regex}).*")),
            settings,
        })
    }

    fn text(&self) -> String {
        let mut table = Columns::unnamed();
        let mut add = |name: &str, text: &str| table.row([name.to_owned(), text.to_owned()]);
        add("design", &self.about);
        if let Some(example) = &self.example {
            let example = format!("{example}, as this design needs settings and none were given");
            add("example", &example);
        }
        let keys = match self.prefix.as_str() {
            "" => "can begin with any bytes, so the design must be alone in its table".to_owned(),
            prefix => format!("begin with {prefix}"),
        };
        add("keys", &keys);
        add("scans yield", &self.order);
        for ScanBy { by, sentence, .. } in &self.scans {
            add(&format!("by {by}"), sentence);
        }
        let none = "none: all tablets of the table are spread as one, which every balancer does";
        add("group", self.group.as_deref().unwrap_or(none));
        for Setting { name, meaning } in &self.settings {
            add(&format!("with {name}"), meaning);
        }
        table.lines()
    }
}
