//! The duration of the slow tests.

/// Returns the factor by which the slow tests run longer than usual: the value of the environment
/// variable `FLUO_SOAK`, which `cargo xtask soak --times N` sets, or 1.
///
/// # Panics
///
/// If the variable is not a number of at least 1, so that a typing error does not shorten a long
/// run.
pub fn soak() -> u64 {
    match std::env::var("FLUO_SOAK") {
        Err(_) => 1,
        Ok(times) => times_of(&times),
    }
}

fn times_of(text: &str) -> u64 {
    match text.parse() {
        Ok(times) if times > 0 => times,
        _ => panic!("FLUO_SOAK is `{text}`; it must be a number of at least 1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_everything_but_a_number_of_at_least_1() {
        assert_eq!(times_of("30"), 30);
        for wrong in ["", "0", "-1", "x"] {
            assert!(std::panic::catch_unwind(|| times_of(wrong)).is_err());
        }
    }
}
