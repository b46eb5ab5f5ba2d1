//! The seeds of a run, from environment variables.

/// The seeds to run, and the output.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) from: u64,
    pub(crate) count: u64,
    /// `true` if the run ends with the first seed that fails, as a usual test run does.
    pub(crate) stops: bool,
    /// `true` if the whole trace of a failed run is printed.
    pub(crate) is_whole: bool,
}

/// Reads the variables of `cargo xtask simulate` and `cargo xtask soak`. Without them,
/// `usual_count` seeds are run.
pub(crate) fn asked(usual_count: u64) -> Asked {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        let number = text.parse::<u64>();
        Some(number.unwrap_or_else(|_| panic!("{name} is `{text}`; it must be a number")))
    };
    let count = number("FLUO_SIMULATE_SEEDS");
    let times = number("FLUO_SOAK").unwrap_or(1);
    Asked {
        from: number("FLUO_SIMULATE_FROM").unwrap_or(1),
        count: count.unwrap_or(usual_count * times),
        stops: count.is_none(),
        is_whole: std::env::var_os("FLUO_SIMULATE_WHOLE").is_some(),
    }
}
