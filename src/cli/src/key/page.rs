//! `fluo key design`.

use anyhow::Result;
use clap::Args;
use fluo_keys::{KeyDesign, ScanCost};
use fluo_table::Escaped;
use serde::Serialize;

use crate::chosen_design::{CHOICE, DesignArguments};
use crate::design::described;
use crate::layout::{self, Columns};
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

impl Design {
    pub(super) fn run(&self) -> Result<()> {
        if self.design.is_empty() {
            let designs = described()?;
            if self.json {
                return output::print_json(&designs);
            }
            let mut table = Columns::unnamed();
            for described in designs {
                table.row([described.name, described.about]);
            }
            output::print(&table.lines(layout::output_width()))?;
            say!("`fluo key design --design NAME` has a page about each");
            return Ok(());
        }
        let (design, example) = self.design.design_or_example()?;
        let page = Page::new(&design, example);
        if self.json { output::print_json(&page) } else { output::print(&page.text()?) }
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
}

#[derive(Serialize)]
struct ScanBy {
    by: &'static str,
    #[serde(flatten)]
    cost: ScanCost,
    sentence: String,
}

impl Page {
    fn new(design: &KeyDesign, example: Option<String>) -> Self {
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
        Self {
            design: design.name(),
            about: design.to_string(),
            example,
            prefix: Escaped(&design.prefix()).to_string(),
            order: design.order().to_string(),
            scans: scans.map(scan).into(),
            group: design.group_regex().map(|regex| format!("({regex}).*")),
        }
    }

    fn text(&self) -> Result<String> {
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
        add("order", &self.order);
        for ScanBy { by, sentence, .. } in &self.scans {
            add(&format!("by {by}"), sentence);
        }
        let none = "none: all tablets of the table are spread as one, which every balancer does";
        add("group", self.group.as_deref().unwrap_or(none));
        let described = described()?.into_iter().find(|known| known.name == self.design);
        for (name, about) in described.map(|described| described.settings).unwrap_or_default() {
            add(&format!("with {name}"), &about);
        }
        Ok(table.lines(layout::output_width()))
    }
}
