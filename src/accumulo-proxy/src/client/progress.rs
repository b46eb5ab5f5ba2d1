//! The progress of a call.

/// Progress of the attempts of a call, for the error when its time limit expires.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// `true` after the first request was sent.
    pub(super) was_sent: bool,
    pub(super) is_under_way: bool,
    /// `true` if a finished attempt may have taken effect, independent of the later attempts.
    pub(super) is_possible: bool,
}
