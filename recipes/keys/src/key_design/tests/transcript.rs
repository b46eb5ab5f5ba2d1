//! The exact keys, split points, reads and messages of each design, as a transcript.
//!
//! A line `design` sets the design by its settings; drawn salts are 307 modulo the buckets. The
//! lines after it are calls, and the indented lines after a call are its result. All bytes are
//! escaped. `FLUO_OVERWRITE=1` writes the results of this build to the file; read the difference.

use std::fmt::Write as _;

use fluo_table::{Escaped, Key, Span, unescape};

use super::design_of;
use crate::{KeyDesign, RecipeError, RowSelection};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/key_design/tests/transcript.txt");

#[test]
fn designs_answer_as_written() {
    let expected = std::fs::read_to_string(FILE).unwrap();
    let mut found = String::new();
    let mut design = None;
    for line in expected.lines().filter(|line| !line.starts_with("  ")) {
        writeln!(found, "{line}").unwrap();
        let (call, argument) = line.split_once(' ').unwrap_or((line, ""));
        let result = match call {
            "" | "#" => continue,
            "design" => design_of(argument).map(|new| {
                let told = new.to_string();
                design = Some(new);
                told
            }),
            _ => answer(design.as_ref().unwrap(), call, argument),
        };
        let result = result.unwrap_or_else(|error| format!("{:?}: {error}", error.kind()));
        for line in result.lines() {
            writeln!(found, "  {line}").unwrap();
        }
    }
    if std::env::var_os("FLUO_OVERWRITE").is_some() {
        std::fs::write(FILE, &found).unwrap();
    }
    let mut lines = found.lines().zip(expected.lines()).enumerate();
    let first = lines.find(|(_, (found, expected))| found != expected);
    assert_eq!(first, None, "the first difference");
    assert_eq!(found, expected);
}

/// Returns the result of a call.
fn answer(design: &KeyDesign, call: &str, argument: &str) -> Result<String, RecipeError> {
    let bytes = |text: &str| unescape(text).unwrap();
    let shown = |bytes: &[u8]| Escaped(bytes).to_string();
    match call {
        "encode" => {
            let row = bytes(argument);
            let key = design.encode_row(&row)?;
            let read = design.decode_key(&key)?;
            if read == row {
                return Ok(shown(&key));
            }
            Ok(format!("{} of the row {}", shown(&key), shown(&read)))
        }
        "decode" => Ok(shown(&design.decode_key(&bytes(argument))?)),
        "key-of" => Ok(shown(&design.key_of(&bytes(argument))?)),
        "salted-part" => Ok(format!("{:?}", design.salted_part(&bytes(argument))?)),
        "splits" => splits(design, argument.parse().unwrap()),
        "explain" => {
            let key = bytes(argument);
            let fields = design.explain(&key)?;
            let stored: Vec<_> = fields.iter().map(|field| field.stored.clone()).collect();
            assert_eq!(stored.concat(), key);
            let line = |field: &crate::KeyField| {
                format!("{}: {}: {}", field.name, shown(&field.stored), field.meaning)
            };
            Ok(fields.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
        "scans" => {
            let scans = design.scans();
            Ok(format!(
                "row: {}\nprefix: {}\nrange: {}\nsuffix: {}\nbetween: {}\ndomain: {}\n{}",
                scans.by_row,
                scans.by_prefix,
                scans.by_range,
                scans.by_suffix,
                scans.between,
                scans.by_domain,
                scans.order
            ))
        }
        _ => Ok(spans(&design.spans(&selection(call, argument))?)),
    }
}

/// Returns the set of a call: a kind, and bytes separated by spaces, where `_` is no bound.
fn selection(kind: &str, argument: &str) -> RowSelection {
    let bytes = |text: &str| unescape(text).unwrap();
    let bound = |text: Option<&str>| text.filter(|text| *text != "_").map(bytes);
    let mut arguments = argument.split(' ');
    let first = bytes(arguments.next().unwrap_or_default());
    let mut next = || bound(arguments.next());
    match kind {
        "all" => RowSelection::All,
        "row" => RowSelection::Row(first),
        "prefix" => RowSelection::Prefix(first),
        "suffix" => RowSelection::Suffix(first),
        "range" => RowSelection::Range { start: first, end: next() },
        "between" => RowSelection::Between { prefix: first, from: next(), to: next() },
        "domain" => RowSelection::domain(argument),
        "subdomains" => RowSelection::domain_and_subdomains(argument),
        _ => panic!("there is no call `{kind}`"),
    }
}

/// Describes pieces of the table: all of them if there are at most two.
fn spans(spans: &[Span]) -> String {
    assert!(spans.iter().all(|span| !span.is_empty()));
    let shown = |key: &Key| Escaped(&key.row).to_string();
    let line = |span: &Span| {
        let end = span.end().map_or("the end".to_owned(), shown);
        format!("from {} to {end}", shown(span.start()))
    };
    match spans {
        [] => "no pieces".to_owned(),
        [_] | [_, _] => spans.iter().map(line).collect::<Vec<_>>().join("\n"),
        many => format!("{} pieces", many.len()),
    }
}

fn splits(design: &KeyDesign, tablets: u32) -> Result<String, RecipeError> {
    let (points, weights) = (design.splits(tablets), design.tablet_weights(tablets));
    let alike = |error: &RecipeError| assert_eq!(weights.as_ref(), Err(error), "rejected alike");
    let (points, weights) = (points.inspect_err(alike)?, weights?);
    assert!(points.windows(2).all(|pair| pair[0] < pair[1]));
    let shown: Vec<_> = points.iter().take(20).map(|point| Escaped(point).to_string()).collect();
    let weights = weights.map(|weights| {
        let (least, most) = (weights.iter().min(), weights.iter().max());
        format!("; {} weights of {:?} to {:?}", weights.len(), least.unwrap(), most.unwrap())
    });
    Ok(format!("{} points: {}{}", points.len(), shown.join(" "), weights.unwrap_or_default()))
}
