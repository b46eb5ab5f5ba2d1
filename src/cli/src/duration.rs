//! Durations as people write them: `60s`, `2m`, `500ms`.

use std::time::Duration;

/// Reads a duration.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write a number and a unit, such as 60s, 2m or 500ms"))
}

/// A duration in seconds for a message: whole, where it is longer than ten.
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
    fn durations_have_a_unit() {
        for (text, millis) in [
            ("60s", 60_000),
            ("2m", 120_000),
            ("500ms", 500),
            ("1m 30s", 90_000),
            ("0s", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)));
        }
        for text in ["", "60", "s", "-1s", "1 parsec"] {
            let message = parse(text).unwrap_err();
            assert!(
                message.ends_with("; write a number and a unit, such as 60s, 2m or 500ms"),
                "{message}"
            );
        }
    }

    #[test]
    fn seconds_are_as_exact_as_helps() {
        let told = |millis| seconds(Duration::from_millis(millis));
        assert_eq!(
            [told(0), told(6_000), told(6_240), told(61_900)],
            ["0 s", "6 s", "6.2 s", "61 s"]
        );
    }
}
