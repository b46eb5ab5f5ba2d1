//! The origin of optimizations, as messages name it.

/// The origin of the optimizations of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    /// A spec file, for `fluo table`.
    Spec,
    /// The recipes among the settings of an application, for `fluo app`.
    Recipes,
}

impl Origin {
    /// Returns the reason for a change, as the end of a sentence.
    pub(super) fn asks(self) -> &'static str {
        match self {
            Self::Spec => "the spec asks for",
            Self::Recipes => "the recipes ask for",
        }
    }

    /// Returns the reason why something is not needed, as the end of a sentence.
    pub(super) fn does_not_ask(self) -> &'static str {
        match self {
            Self::Spec => "the spec does not ask for",
            Self::Recipes => "the recipes do not ask for",
        }
    }

    /// Returns the state of a table without differences, as the end of a sentence.
    pub(super) fn as_asked(self) -> &'static str {
        match self {
            Self::Spec => "as the spec says",
            Self::Recipes => "as the recipes say",
        }
    }

    /// Returns the command that takes optimizations of this origin.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Spec => "fluo table",
            Self::Recipes => "fluo app",
        }
    }
}
