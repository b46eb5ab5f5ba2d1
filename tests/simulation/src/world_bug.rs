//! Bugs in the parts on which the engine depends.

/// A behavior that a table or a coordination must never have. The wrappers of a run show it now
/// and then, to verify that the checks detect it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldBug {
    /// A timestamp is handed out a second time.
    TimestampTwice,
    /// A conditional write whose answer was lost, and which was not applied, is answered as
    /// accepted.
    UnknownAsAccepted,
    /// A conditional write whose answer was lost, and which was applied, is answered as rejected.
    UnknownAsRejected,
    /// A write that was not applied is acknowledged.
    WriteLost,
    /// Half of a mutation is applied.
    RowTorn,
    /// Of mutations that are written together, half are.
    TogetherTorn,
    /// A conditional mutation is applied whatever its conditions are.
    ConditionIgnored,
    /// A scan leaves out its last cell.
    CellNotRead,
    /// Garbage is collected up to the newest timestamp, although readers need it.
    HorizonTooFar,
    /// Flushes of a table that this project created collect garbage too, by the rules of partial
    /// compactions.
    GarbageInFlushes,
}
