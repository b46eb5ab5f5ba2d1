//! The measures as a Markdown table.

use super::Measures;

/// A row: its name, and the cell of a column.
type Row = (&'static str, fn(&Measures) -> String);

const ROWS: [Row; 15] = [
    ("files", |it| it.file_lines.len().to_string()),
    ("lines without tests", |it| it.lines.all.to_string()),
    ("of it lines of code", |it| it.lines.code.to_string()),
    ("lines of a file: p25/median/p75/p90/max", |it| {
        quantiles(&it.file_lines, &[25, 50, 75, 90, 100])
    }),
    ("files of at most 500 / 250 lines", |it| {
        let share = |most| {
            let files = it.file_lines.iter().filter(|lines| **lines <= most);
            percent(files.count(), it.file_lines.len())
        };
        format!("{} / {}", share(500), share(250))
    }),
    ("functions", |it| it.functions.lines.len().to_string()),
    ("lines of a function: median/p95/max", |it| {
        quantiles(&it.functions.lines, &[50, 95, 100])
    }),
    ("share of doc comments", |it| {
        percent(it.lines.docs, it.lines.all)
    }),
    ("`# Errors`/`# Panics`/`# Examples`", |it| {
        joined(&it.lines.headings)
    }),
    ("`unwrap`/`expect`/`panic!`", |it| {
        joined(&it.functions.panics)
    }),
    ("`pub fn`", |it| it.functions.public.to_string()),
    ("`pub(..) fn`", |it| it.functions.internal.to_string()),
    ("names at the crate root", |it| {
        it.root_names
            .map_or_else(|| "-".to_owned(), |names| names.to_string())
    }),
    ("lines of tests", |it| it.test_lines.to_string()),
    ("tests", |it| it.tests.to_string()),
];

/// Returns a table with a column for each of these measures.
pub(super) fn markdown(columns: &[(String, Measures)]) -> String {
    let mut head = "| |".to_owned();
    let mut line = "|---|".to_owned();
    for (name, _) in columns {
        head += &format!(" {name} |");
        line += "---|";
    }
    let mut lines = vec![head, line];
    for (name, cell) in ROWS {
        let cells: String = columns
            .iter()
            .map(|(_, it)| format!(" {} |", cell(it)))
            .collect();
        lines.push(format!("| {name} |{cells}"));
    }
    lines.join("\n")
}

/// Returns quantiles in percent; `-` of nothing.
fn quantiles(values: &[usize], percents: &[usize]) -> String {
    let mut values = values.to_vec();
    values.sort_unstable();
    let last = values.len().saturating_sub(1);
    let quantile = |percent: &usize| values.get(last * percent / 100);
    let quantiles = percents
        .iter()
        .map(|percent| quantile(percent).map_or_else(|| "-".to_owned(), ToString::to_string));
    quantiles.collect::<Vec<_>>().join("/")
}

fn percent(part: usize, whole: usize) -> String {
    (part * 100 + whole / 2)
        .checked_div(whole)
        .map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"))
}

fn joined(counts: &[usize]) -> String {
    let counts: Vec<_> = counts.iter().map(ToString::to_string).collect();
    counts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_quantiles() {
        let values: Vec<usize> = (1..=101).rev().collect();
        assert_eq!(quantiles(&values, &[25, 50, 95, 100]), "26/51/96/101");
        assert_eq!(quantiles(&[], &[50, 100]), "-/-");
        assert_eq!(
            (percent(1, 3), percent(0, 0)),
            ("33 %".to_owned(), "-".to_owned())
        );
    }

    #[test]
    fn writes_a_column_for_each_crate() {
        let one = Measures {
            file_lines: vec![10, 300],
            root_names: Some(7),
            ..Measures::default()
        };
        let table = markdown(&[("a".to_owned(), one), ("b".to_owned(), Measures::default())]);
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(
            lines[..3],
            ["| | a | b |", "|---|---|---|", "| files | 2 | 0 |"]
        );
        assert!(lines.contains(&"| files of at most 500 / 250 lines | 100 % / 50 % | - / - |"));
        assert!(lines.contains(&"| names at the crate root | 7 | - |"));
    }
}
