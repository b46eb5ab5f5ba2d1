//! The layout of text for a person: the width of the terminal, columns and bars.

use std::io::{self, IsTerminal};
use std::{env, iter};

use fluo_table::Grouped;
use terminal_size::{Height, Width};
use unicode_width::UnicodeWidthChar;

use crate::color::{Meaning, is_mark, painted};

/// The width of bars without a terminal, and of a terminal that reports no width.
pub(crate) const DEFAULT_WIDTH: usize = 80;
const MIN_WIDTH: usize = 20;
const MAX_WIDTH: usize = 1_000;
const MIN_BAR: usize = 10;
/// The least width of a last column whose texts are wrapped.
const MIN_WRAPPED: usize = 24;
/// The blanks before the first column.
const MARGIN: usize = 1;
/// The blanks between two columns.
const GAP: usize = 2;
const INDENT: usize = 4;
/// Eighths of a character, so small differences are visible.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
/// A bar of more than this many times the mean is painted as bad.
const FULL: u64 = 2;

/// Returns the width of standard output, if that is a terminal. `COLUMNS` can set another one.
pub(crate) fn output_width() -> Option<usize> {
    width_of(&io::stdout(), terminal_size::terminal_size_of(io::stdout()))
}

/// Returns the width of standard error, if that is a terminal. `COLUMNS` can set another one.
pub(crate) fn error_width() -> Option<usize> {
    width_of(&io::stderr(), terminal_size::terminal_size_of(io::stderr()))
}

fn width_of(stream: &impl IsTerminal, found: Option<(Width, Height)>) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let set = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Some(width_of_terminal(set, found.map(|(width, _)| width.0.into())))
}

fn width_of_terminal(set: Option<usize>, found: Option<usize>) -> usize {
    let width = [set, found].into_iter().flatten().find(|width| *width > 0);
    width.unwrap_or(DEFAULT_WIDTH).clamp(MIN_WIDTH, MAX_WIDTH)
}

/// Returns the number of characters of a terminal that a text takes.
pub(crate) fn chars_of(text: &str) -> usize {
    text.chars().filter(|c| !is_mark(*c)).map(|c| c.width().unwrap_or_default()).sum()
}

/// Breaks a line at blanks, so that it fits the width. Later lines are indented as the first one,
/// and by two more. A longer word stays whole.
pub(crate) fn wrapped(line: &str, width: usize) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    wrapped_below(line, width, (indent + 2).min(width / 2))
}

fn wrapped_below(line: &str, width: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut rest = line;
    let mut used = 0;
    while let Some(at) = break_of(rest, width.saturating_sub(used)) {
        let (line, later) = rest.split_at(at);
        lines += line.trim_end_matches(' ');
        lines.push('\n');
        lines += &" ".repeat(indent);
        used = indent;
        rest = later.trim_start_matches(' ');
    }
    lines + rest
}

/// Returns the place of the last blank within the width, or else of the first one after it, if the
/// line is wider. A per cent sign stays at its number.
fn break_of(line: &str, width: usize) -> Option<usize> {
    let text = line.len() - line.trim_start_matches(' ').len();
    let (mut chars, mut last) = (0, None);
    for (at, c) in line.char_indices() {
        let is_unit = || line.get(at..).is_some_and(|rest| rest.starts_with(" %"));
        if c == ' ' && at > text && !is_unit() {
            if chars > width {
                return last.or(Some(at)).filter(|at| !line.split_at(*at).1.trim().is_empty());
            }
            last = Some(at);
        }
        chars += if is_mark(c) { 0 } else { c.width().unwrap_or_default() };
    }
    last.filter(|_| chars > width)
}

/// The heading of a column, and the side to which its texts are aligned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Heading {
    Left(&'static str),
    Right(&'static str),
}

impl Heading {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Left(text) | Self::Right(text) => text,
        }
    }

    fn aligned(self, text: &str, width: usize) -> String {
        let blanks = " ".repeat(width.saturating_sub(chars_of(text)));
        match self {
            Self::Left(_) => format!("{text}{blanks}"),
            Self::Right(_) => format!("{blanks}{text}"),
        }
    }
}

/// Rows of aligned columns.
///
/// If they are wider than the terminal, the texts of the last column are wrapped. If that is not
/// enough, the columns that do not fit are below each row with their headings: figures in one line,
/// and each text in a line of its own.
#[derive(Debug)]
pub(crate) struct Columns<const N: usize> {
    headings: [Heading; N],
    rows: Vec<(Option<Meaning>, [String; N])>,
}

impl Columns<2> {
    /// Creates rows of a name and a text, without headings.
    pub(crate) fn unnamed() -> Self {
        Self::new([Heading::Left(""); 2])
    }
}

impl<const N: usize> Columns<N> {
    pub(crate) fn new(headings: [Heading; N]) -> Self {
        Self { headings, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, texts: [String; N]) {
        self.rows.push((None, texts));
    }

    pub(crate) fn painted_row(&mut self, meaning: Option<Meaning>, texts: [String; N]) {
        self.rows.push((meaning, texts));
    }

    /// Lays out the rows for the width of standard output.
    pub(crate) fn lines(&self) -> String {
        self.fitted(output_width())
    }

    /// Lays out the rows for a width; `None` does not limit it.
    pub(crate) fn fitted(&self, width: Option<usize>) -> String {
        let headings = self.headings.map(Heading::text);
        let all = self.rows.iter().map(|(_, texts)| texts.each_ref().map(String::as_str));
        let widths = widest(all.chain([headings]));
        let width = width.unwrap_or(usize::MAX);
        let mut start = MARGIN;
        let mut ends = widths.map(|width| {
            let end = start + width;
            start = end + GAP;
            end
        });
        let fitting = ends.iter().filter(|end| **end <= width).count().max(1);
        ends.reverse();
        let start_of_last = ends.get(1).map_or(MARGIN, |before| before + GAP);
        let is_wrapped = fitting + 1 == N && start_of_last + MIN_WRAPPED <= width;
        let shown = if is_wrapped { N } else { fitting };
        let line = |texts: [&str; N]| {
            let columns = self.headings.iter().zip(texts).zip(widths).take(shown);
            let aligned = columns.map(|((heading, text), width)| heading.aligned(text, width));
            let line = aligned.collect::<Vec<_>>().join(&" ".repeat(GAP));
            let line = format!("{}{}", " ".repeat(MARGIN), line.trim_end());
            if is_wrapped { wrapped_below(&line, width, start_of_last) } else { line }
        };
        let mut lines = Vec::new();
        if headings.iter().any(|heading| !heading.is_empty()) {
            lines.push(painted(Meaning::Title, &line(headings)));
        }
        for (meaning, texts) in &self.rows {
            let row = line(texts.each_ref().map(String::as_str));
            lines.push(meaning.map_or_else(|| row.clone(), |meaning| painted(meaning, &row)));
            let below = self.headings.iter().zip(texts).skip(shown);
            let below = below.filter(|(_, text)| !matches!(text.as_str(), "" | "-"));
            let (figures, sentences): (Vec<_>, Vec<_>) =
                below.partition(|(heading, _)| matches!(heading, Heading::Right(_)));
            let figures =
                figures.iter().map(|(heading, text)| format!("{} {text}", heading.text()));
            let figures = figures.collect::<Vec<_>>().join(", ");
            let sentences = sentences.iter();
            let sentences = sentences.map(|(heading, text)| format!("{}: {text}", heading.text()));
            for below in iter::once(figures).chain(sentences).filter(|below| !below.is_empty()) {
                let below = format!("{}{below}", " ".repeat(INDENT));
                lines.push(wrapped_below(&below, width, INDENT + 2));
            }
        }
        lines.join("\n")
    }
}

/// Returns the width of each column.
fn widest<'text, const N: usize>(rows: impl Iterator<Item = [&'text str; N]>) -> [usize; N] {
    rows.fold([0; N], |mut widths, texts| {
        for (width, text) in widths.iter_mut().zip(texts) {
            *width = chars_of(text).max(*width);
        }
        widths
    })
}

/// Lays out one line for each count: its labels, the count, and a bar in proportion to it.
///
/// The longest bar, of the `largest` count, ends at the width. Two pictures with the same `largest`
/// count have the same scale if their labels have the same widths.
pub(crate) fn bars<const N: usize>(
    counts: &[([String; N], u64)],
    largest: Option<u64>,
    width: Option<usize>,
) -> Vec<String> {
    let width = width.unwrap_or(DEFAULT_WIDTH);
    let all = || counts.iter().map(|(_, count)| *count);
    let largest = largest.into_iter().chain(all()).max().unwrap_or_default();
    let total: u128 = all().map(u128::from).sum();
    let digits = Grouped(largest).to_string().len();
    let labels = counts.iter().map(|(labels, _)| labels.each_ref().map(String::as_str));
    let label_widths = widest(labels);
    let before_bar = label_widths.iter().sum::<usize>() + digits + GAP * (N + 1);
    let longest = width.saturating_sub(before_bar).max(MIN_BAR);
    let line = |(labels, count): &([String; N], u64)| {
        let labels = labels.iter().zip(label_widths);
        let labels = labels.map(|(label, width)| Heading::Left("").aligned(label, width));
        let is_full = u128::from(*count) * counts.len() as u128 > total * u128::from(FULL);
        let bar = bar(*count, largest, longest);
        let bar = if is_full { painted(Meaning::Bad, &bar) } else { bar };
        let count = format!("{:>digits$}", Grouped(*count).to_string());
        let texts = labels.chain([count, bar]).collect::<Vec<_>>();
        texts.join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    counts.iter().map(line).collect()
}

/// Draws a bar of a count; `longest` is the length of the largest one in characters.
fn bar(count: u64, largest: u64, longest: usize) -> String {
    let eighths = u128::from(count) * (longest as u128 * 8) / u128::from(largest.max(1));
    let eighths = usize::try_from(eighths).unwrap_or_default();
    let part = EIGHTHS.get(eighths % 8).copied().unwrap_or_default();
    // A count above zero is always visible, however small it is.
    let sliver = if count > 0 && eighths == 0 { "▏" } else { "" };
    format!("{}{part}{sliver}", "█".repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Columns<4> {
        let mut table = Columns::new([
            Heading::Left("group"),
            Heading::Right("rows"),
            Heading::Right("mean"),
            Heading::Left("evenness"),
        ]);
        let row = |texts: [&str; 4]| texts.map(str::to_owned);
        table.row(row(["p:", "4,208", "210.4", "chi-square 13.8, p = 0.794"]));
        table.row(row(["é", "7", "-", ""]));
        table
    }

    fn lines(width: Option<usize>) -> Vec<String> {
        let lines = table().fitted(width).replace(is_mark, "");
        lines.lines().map(str::to_owned).collect()
    }

    /// A terminal of the size 0x0 once had no limit.
    #[test]
    fn a_terminal_always_has_a_width() {
        for (set, found, expected) in [
            (None, Some(0), 80),
            (None, None, 80),
            (Some(0), Some(100), 100),
            (Some(60), Some(100), 60),
            (Some(1), None, 20),
            (None, Some(9_999), 1_000),
        ] {
            assert_eq!(width_of_terminal(set, found), expected);
        }
    }

    #[test]
    fn aligns_columns() {
        let lines = lines(None);
        assert_eq!(lines[0], " group   rows   mean  evenness");
        assert_eq!(lines[1], " p:     4,208  210.4  chi-square 13.8, p = 0.794");
        assert_eq!(lines[2], " é          7      -");
    }

    #[test]
    fn wraps_the_last_column_or_puts_columns_below() {
        let wrapped = lines(Some(47));
        assert_eq!(wrapped[1], " p:     4,208  210.4  chi-square 13.8, p =");
        assert_eq!(wrapped[2], "                      0.794");
        let below = lines(Some(20));
        assert_eq!(below[0], " group   rows   mean");
        assert_eq!(below[2..4], ["    evenness:", "      chi-square"]);
        assert_eq!(below.last().unwrap(), " é          7      -");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in 20..160 {
            for line in lines(Some(width)) {
                assert!(chars_of(&line) <= width, "{width}: {line}");
            }
        }
    }

    #[test]
    fn wraps_at_blanks() {
        assert_eq!(wrapped("  a bc def", 6), "  a bc\n   def");
        assert_eq!(wrapped("  a bc def", 10), "  a bc def");
        assert_eq!(wrapped("abcdefgh ij", 4), "abcdefgh\n  ij");
        assert_eq!(wrapped("abcdefgh", 4), "abcdefgh");
        assert_eq!(wrapped("", 4), "");
        assert_eq!(wrapped("of 97.3 % of", 8), "of\n  97.3 %\n  of");
    }

    #[test]
    fn scales_bars_to_the_largest_and_shows_small_counts() {
        let counts = [("a", 1_000_000), ("bcd", 500_000), ("e", 1), ("f", 0)];
        let counts = counts.map(|(label, count)| ([label.to_owned()], count));
        let plain = |width| {
            let lines = bars(&counts, None, width);
            lines.iter().map(|line| line.replace(is_mark, "")).collect::<Vec<_>>()
        };
        let lines = plain(Some(66));
        assert_eq!(lines[0], format!("a    1,000,000  {}", "█".repeat(50)));
        assert_eq!(lines[1], format!("bcd    500,000  {}", "█".repeat(25)));
        assert_eq!(lines[2], "e            1  ▏");
        assert_eq!(lines[3], "f            0");
        assert_eq!(plain(Some(160)).iter().map(|line| chars_of(line)).max(), Some(160));
        assert_eq!(plain(None).iter().map(|line| chars_of(line)).max(), Some(80));
        assert_eq!(bars(&[([String::new()], u64::MAX)], None, Some(1)).len(), 1);
        assert!(bars::<1>(&[], None, None).is_empty());
    }

    #[test]
    fn paints_bars_of_more_than_twice_the_mean() {
        let counts = [10, 1, 1, 1].map(|count| ([String::new()], count));
        let painted: Vec<_> =
            bars(&counts, None, None).iter().map(|line| line.contains(is_mark)).collect();
        assert_eq!(painted, [true, false, false, false]);
    }
}
