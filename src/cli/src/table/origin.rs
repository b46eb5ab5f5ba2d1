//! The origin of the optimizations of a table, as messages name it.

/// The words for an origin.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The reason for a change, as the end of a sentence.
    pub(super) asks: &'static str,
    /// The reason why something is not needed, as the end of a sentence.
    pub(super) does_not_ask: &'static str,
    /// The state of a table without differences, as the end of a sentence.
    pub(super) as_asked: &'static str,
    /// The command that takes optimizations of this origin.
    pub(super) command: &'static str,
}

impl Origin {
    pub(crate) const SPEC: &Self = &Self {
        asks: "the spec asks for",
        does_not_ask: "the spec does not ask for",
        as_asked: "as the spec says",
        command: "fluo table",
    };
    /// The recipes among the settings of an application.
    pub(crate) const RECIPES: &Self = &Self {
        asks: "the recipes ask for",
        does_not_ask: "the recipes do not ask for",
        as_asked: "as the recipes say",
        command: "fluo app",
    };
}
