//! Counts, durations and shortened texts for messages.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use fluo_table::Grouped;
pub(crate) use fluo_table::counted;

const SHORTENED_CHARS: usize = 60;

pub(crate) fn count_of(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

/// Returns the first line of a text, shortened. Two dots stand for the rest.
pub(crate) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut start: String = line.chars().take(SHORTENED_CHARS).collect();
    if start.len() < text.len() {
        start.push_str("..");
    }
    start
}

/// Returns the number of items that a list leaves out; `None` if it has all.
pub(crate) fn and_more(all: impl TryInto<u64>, listed: usize, noun: &str) -> Option<String> {
    let more = all.try_into().unwrap_or(u64::MAX).saturating_sub(count_of(listed));
    (more > 0).then(|| format!("and {}", counted(more, &format!("more {noun}"))))
}

/// The number of items of a list of which the first are printed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Abridged(usize);

impl Abridged {
    const MAX_LISTED: usize = 40;

    /// Adds an item, and returns whether it is printed.
    pub(crate) fn lists(&mut self) -> bool {
        self.0 += 1;
        self.0 <= Self::MAX_LISTED
    }

    /// Returns the number of items that are not printed; `None` if all are.
    pub(crate) fn rest(self, noun: &str) -> Option<String> {
        and_more(self.0, Self::MAX_LISTED, noun)
    }
}

/// Quotes an argument of a shown command for a shell, where necessary.
pub(crate) fn in_shell(argument: impl Display) -> String {
    let argument = argument.to_string();
    let quoted = shlex::try_quote(&argument).map(Cow::into_owned);
    quoted.unwrap_or(argument)
}

/// Rounds a number down, for its digits in groups.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is rounded")]
pub(crate) fn whole(number: f64) -> Grouped {
    Grouped(number as u64)
}

/// Formats a number with one digit after the point, as `1,234.5`.
pub(crate) fn tenths(number: f64) -> String {
    let text = format!("{number:.1}");
    match text.split_once('.') {
        Some((whole, tenth)) => match whole.parse() {
            Ok(whole) => format!("{}.{tenth}", Grouped(whole)),
            Err(_) => text,
        },
        None => text,
    }
}

/// Parses a duration as users write it: `60s`, `2m`, `500ms`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| match error {
        humantime::DurationError::NumberOverflow => "the number is too large".to_owned(),
        _ => "write a number and a unit, such as 60s, 2m or 500ms".to_owned(),
    })
}

/// Parses the pause between two runs of a repeated command.
pub(crate) fn parse_pause(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => {
            Err("the interval between two compactions is 0; give a pause, such as 10 minutes"
                .to_owned())
        }
        pause => Ok(pause),
    }
}

/// Parses a number that may be 0, such as a limit.
pub(crate) fn parse_count<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "write a whole number from 0 on".to_owned())
}

/// Formats a duration in seconds for a message, without a fraction from ten seconds on.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration >= Duration::from_secs(10) || duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortens_long_texts_and_later_lines() {
        let sixty = "é".repeat(60);
        assert_eq!(shortened(&sixty), sixty);
        assert_eq!(shortened(&format!("{sixty}x")), format!("{sixty}.."));
        assert_eq!(shortened("a\nb"), "a..");
    }

    #[test]
    fn counts_what_a_list_leaves_out() {
        assert_eq!(and_more(1_003_u64, 3, "row"), Some("and 1,000 more rows".to_owned()));
        assert_eq!(and_more(4_usize, 3, "entry"), Some("and 1 more entry".to_owned()));
        assert_eq!([3_u64, 2].map(|all| and_more(all, 3, "row")), [None, None]);
        let mut list = Abridged::default();
        assert_eq!((0..41).filter(|_| list.lists()).count(), 40);
        assert_eq!(list.rest("step"), Some("and 1 more step".to_owned()));
    }

    #[test]
    fn groups_the_digits_before_the_point() {
        assert_eq!([0.0, 12.34, 19_866.25].map(tenths), ["0.0", "12.3", "19,866.2"]);
    }

    #[test]
    fn requires_a_unit() {
        for (text, millis) in [("60s", 60_000), ("1m 30s", 90_000), ("0s", 0)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(millis)));
        }
        for text in ["", "60", "s", "-1s", "1 parsec"] {
            let message = parse_duration(text).unwrap_err();
            assert_eq!(message, "write a number and a unit, such as 60s, 2m or 500ms");
        }
        assert_eq!(parse_duration(&"9".repeat(20)).unwrap_err(), "the number is too large");
    }

    #[test]
    fn rounds_seconds_from_ten_on() {
        let told = |millis| seconds(Duration::from_millis(millis));
        assert_eq!(
            [told(0), told(6_000), told(6_240), told(61_900)],
            ["0 s", "6 s", "6.2 s", "61 s"]
        );
    }
}
