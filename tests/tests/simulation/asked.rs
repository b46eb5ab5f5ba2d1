//! The request of `cargo xtask simulate`, from its environment variables.

/// The seeds to run, and the planted bug.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) from: u64,
    pub(crate) count: u64,
    /// `true` if `cargo xtask simulate` requested the run, `false` in a usual test run.
    pub(crate) is_asked: bool,
    pub(crate) plant: Option<String>,
    /// `true` if the whole trace of a failed run is printed.
    pub(crate) is_whole: bool,
}

/// Reads the variables. Without them, `usual_count` seeds are run.
pub(crate) fn asked(usual_count: u64) -> Asked {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        let number = text.parse::<u64>();
        Some(number.unwrap_or_else(|_| panic!("{name} is `{text}`; it must be a number")))
    };
    let count = number("FLUO_SIMULATE_SEEDS");
    Asked {
        from: number("FLUO_SIMULATE_FROM").unwrap_or(1),
        count: count.unwrap_or(usual_count),
        is_asked: count.is_some(),
        is_whole: std::env::var_os("FLUO_SIMULATE_WHOLE").is_some(),
        plant: std::env::var("FLUO_SIMULATE_PLANT").ok(),
    }
}
