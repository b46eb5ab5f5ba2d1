//! Durations as users write them: `60s`, `2m`, `500ms`.

use std::time::Duration;

pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write a number and a unit, such as 60s, 2m or 500ms"))
}

/// Parses the pause between two runs of a repeated command.
pub(crate) fn parse_pause(text: &str) -> Result<Duration, String> {
    match parse(text)? {
        Duration::ZERO => {
            Err("the interval between two compactions is 0; give a pause, such as 10 minutes"
                .to_owned())
        }
        pause => Ok(pause),
    }
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
    fn requires_a_unit() {
        for (text, millis) in [("60s", 60_000), ("1m 30s", 90_000), ("0s", 0)] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)));
        }
        for text in ["", "60", "s", "-1s", "1 parsec"] {
            let message = parse(text).unwrap_err();
            assert!(message.ends_with("; write a number and a unit, such as 60s, 2m or 500ms"));
        }
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
