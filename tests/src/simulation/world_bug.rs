//! Breakages of what the engine stands on.

/// Something that a table, or the coordination, must never do, done now and then by the wrappers of a run: to see that
/// the checks would notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldBug {
    /// A timestamp is handed out a second time.
    TimestampTwice,
    /// A conditional write whose answer was lost, and which was not applied, is answered as accepted.
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
    /// Garbage is collected up to the newest timestamp, whoever still reads.
    HorizonTooFar,
    /// Flushes of a table that we made collect garbage too, by the rules for compactions of a part.
    GarbageInFlushes,
}
