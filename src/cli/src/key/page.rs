//! `fluo key design`.

use anyhow::Result;
use clap::Args;
use fluo_keys::{KeyDesign, ScanCost};
use fluo_table::Escaped;
use serde_json::{Value, json};

use crate::chosen_design::{CHOICE, DesignArguments};
use crate::design::{Described, described};
use crate::output;
use crate::text::columns;

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
            return self.list();
        }
        let (design, example) = self.design.design_or_example()?;
        if self.json {
            return output::print_json(&json(&design, example));
        }
        output::print(&drawn(&design, example)?)
    }

    fn list(&self) -> Result<()> {
        let designs = described()?;
        if self.json {
            return output::print_json(&designs);
        }
        let mut table = columns([]);
        for Described { name, about, .. } in designs {
            table.add_row([name, about]);
        }
        output::print(&table.trim_fmt())?;
        say!("`fluo key design --design NAME` has a page about each");
        Ok(())
    }
}

/// Returns each kind of scan, with its cost.
fn scans(design: &KeyDesign) -> [(&'static str, ScanCost); 6] {
    let scans = design.scans();
    [
        ("row", scans.by_row),
        ("prefix", scans.by_prefix),
        ("range", scans.by_range),
        ("suffix", scans.by_suffix),
        ("part", scans.between),
        ("domain", scans.by_domain),
    ]
}

fn group(design: &KeyDesign) -> Option<String> {
    design.group_regex().map(|regex| format!("({regex}).*"))
}

fn json(design: &KeyDesign, example: Option<String>) -> Value {
    let scan = |(by, cost): (&str, ScanCost)| {
        let mut scan = json!({ "by": by });
        if let (Some(scan), Ok(Value::Object(cost))) =
            (scan.as_object_mut(), serde_json::to_value(&cost))
        {
            scan.extend(cost);
        }
        output::add(&mut scan, "sentence", cost.to_string());
        scan
    };
    let mut page = json!({ "design": design.name(), "about": design.to_string() });
    if let Some(example) = example {
        output::add(&mut page, "example", example);
    }
    output::add(&mut page, "prefix", Escaped(&design.prefix()).to_string());
    output::add(&mut page, "order", design.order().to_string());
    output::add(&mut page, "scans", scans(design).map(scan).to_vec());
    if let Some(group) = group(design) {
        output::add(&mut page, "group", group);
    }
    page
}

fn drawn(design: &KeyDesign, example: Option<String>) -> Result<String> {
    let mut table = columns([]);
    let mut add = |name: &str, text: &str| {
        table.add_row([name, text]);
    };
    add("design", &design.to_string());
    if let Some(example) = example {
        add("example", &format!("{example}, as this design needs settings and none were given"));
    }
    add(
        "keys",
        &match Escaped(&design.prefix()).to_string().as_str() {
            "" => "can begin with any bytes, so the design must be alone in its table".to_owned(),
            prefix => format!("begin with {prefix}"),
        },
    );
    add("order", &design.order().to_string());
    for (by, cost) in scans(design) {
        add(&format!("by {by}"), &cost.to_string());
    }
    let none = "none: all tablets of the table are spread as one, which every balancer does";
    add("group", group(design).as_deref().unwrap_or(none));
    let mut described = described()?.into_iter();
    let described = described.find(|described| described.name == design.name());
    for (name, about) in described.map(|described| described.settings).unwrap_or_default() {
        add(&format!("with {name}"), &about);
    }
    Ok(table.trim_fmt())
}
