//! `fluo key design`.

use anyhow::Result;
use clap::Args;
use comfy_table::Table;
use fluo_core::Escaped;
use fluo_recipes::{KeyDesign, Reach};
use serde::Serialize;

use crate::design::DesignArguments;
use crate::output;

/// A page about a design: the order of its keys, and the scans that remain.
///
/// Says what keys begin with, and of each kind of scan into how many pieces of the table it falls, or why it cannot be
/// done and what to use instead.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  $ fluo key design --design modulo")]
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
    /// What every key begins with, escaped; empty where keys have nothing in common.
    prefix: String,
    order: String,
    scans: Vec<ScanOf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
}

/// Whether and how rows are read.
#[derive(Serialize)]
struct ScanOf {
    /// By row, prefix, range, suffix, or a part of the row between two values.
    by: &'static str,
    possible: bool,
    /// Into how many pieces of the table it falls at most, if it is possible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pieces: Option<u64>,
    sentence: String,
}

impl Design {
    pub(crate) fn run(&self) -> Result<()> {
        let page = Page::of(&self.design.design()?);
        if self.json {
            return output::print_json(&page);
        }
        output::print(&drawn(&page))
    }
}

impl Page {
    fn of(design: &KeyDesign) -> Self {
        let scans = design.scans();
        let scans = [
            ("row", scans.by_row),
            ("prefix", scans.by_prefix),
            ("range", scans.by_range),
            ("suffix", scans.by_suffix),
            ("part", scans.between),
        ];
        Self {
            design: design.name(),
            about: design.to_string(),
            prefix: Escaped(&design.prefix()).to_string(),
            order: design.order().to_string(),
            scans: scans.map(|(by, reach)| ScanOf::of(by, &reach)).into(),
            group: design.group_regex().map(|regex| format!("({regex}).*")),
        }
    }
}

impl ScanOf {
    fn of(by: &'static str, reach: &Reach) -> Self {
        let pieces = match reach {
            Reach::OnePiece => Some(1),
            Reach::FanOut(pieces) => Some(*pieces),
            Reach::Impossible(_) => None,
        };
        Self {
            by,
            possible: pieces.is_some(),
            pieces,
            sentence: reach.to_string(),
        }
    }
}

fn drawn(page: &Page) -> String {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    let mut add = |name: String, text: &str| {
        table.add_row([name, text.to_owned()]);
    };
    add("design".to_owned(), &page.about);
    let begin = match page.prefix.as_str() {
        "" => "begin with anything, so that the design is alone in its table".to_owned(),
        prefix => format!("begin with {prefix}"),
    };
    add("keys".to_owned(), &begin);
    add("order".to_owned(), &page.order);
    for scan in &page.scans {
        add(format!("by {}", scan.by), &scan.sentence);
    }
    let none = "none: all tablets of the table are spread as one, which every balancer does";
    add("group".to_owned(), page.group.as_deref().unwrap_or(none));
    table.trim_fmt()
}
