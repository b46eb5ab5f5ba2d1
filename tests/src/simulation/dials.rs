//! How rough a run is.

use std::time::Duration;

use fluo_core::ClientSettings;

use super::random::Random;
use super::server::Copies;

/// How often things go wrong in a run, and how patient its clients are.
///
/// Each seed draws its own, many of them zero: a run in which everything fails at once never gets far, and what is
/// wrong with one kind of fault hides behind another.
#[derive(Clone, Debug)]
pub(super) struct Dials {
    /// Of a thousand calls of a table, how many fail and did nothing.
    pub(super) fails_before: u64,
    /// How many take effect, and nobody is told.
    pub(super) fails_after: u64,
    /// How many have no effect, and nobody is told.
    pub(super) is_lost: u64,
    /// How many take effect late, and nobody is told.
    pub(super) is_late: u64,
    /// Of a hundred thousand calls, after how many the client is never heard of again.
    pub(super) is_cut: u64,
    /// Of a hundred thousand calls, after how many the session of the client ends while it goes on.
    pub(super) expires: u64,
    /// Of a thousand calls, how many take long.
    pub(super) is_slow: u64,
    /// Usual time of a call, at most.
    pub(super) usual: Duration,
    /// Time of one that takes long, at most.
    pub(super) slow: Duration,
    /// Whether what is late may come after garbage was collected.
    pub(super) is_late_for_ever: bool,
    /// How long a cut off client counts as alive, at most.
    pub(super) session: Duration,
    /// How long the actors go on.
    pub(super) length: Duration,
    /// Pause between two things that an actor does, at most.
    pub(super) rest: Duration,
    /// Pause between two collections of garbage, at most; none is no collection.
    pub(super) collection: Option<Duration>,
    pub(super) clients: u64,
    /// Of a thousand clients, how many have a table that writes rows together.
    pub(super) is_together: u64,
    /// Whether the table was made by the Java client, whose iterators run in every compaction.
    pub(super) is_javas: bool,
    /// Pause between two flushes or compactions of some files, at most; none is neither.
    pub(super) flushing: Option<Duration>,
    /// What becomes of two entries of one key.
    pub(super) copies: Copies,
    /// Whether the clients see different labels.
    pub(super) is_labelled: bool,
    /// Of a thousand clients, how many are denied reads or writes, for a while or for ever.
    pub(super) is_denied: u64,
    /// Of a thousand calls with an answer that is lost, how many lose the answers for all of their rows.
    pub(super) shares_fate: u64,
    /// Of a thousand things that an actor begins, how many are cancelled at any moment.
    pub(super) is_cancelled: u64,
    /// Of a thousand pieces of a scan, how many end inside a row.
    pub(super) is_torn: u64,
    /// Cells of a wide row; 0 is no such row.
    pub(super) width: u64,
    pub(super) settings: ClientSettings,
}

impl Dials {
    pub(super) fn drawn(random: &Random) -> Self {
        let often = |values: &[u64]| random.pick(values);
        let millis = |values: &[u64]| Duration::from_millis(random.pick(values));
        Self {
            fails_before: often(&[0, 0, 10, 60]),
            fails_after: often(&[0, 0, 10, 60]),
            is_lost: often(&[0, 0, 10, 60]),
            is_late: often(&[0, 0, 10, 60]),
            is_cut: often(&[0, 100, 300, 1_000]),
            expires: often(&[0, 0, 50, 300]),
            is_slow: often(&[0, 5, 30, 100]),
            usual: millis(&[2, 5, 20, 60]),
            slow: millis(&[300, 1_500, 4_000]),
            is_late_for_ever: false,
            session: millis(&[10, 500, 3_000]),
            length: Duration::from_secs(6),
            rest: millis(&[20, 100, 400]),
            collection: Some(millis(&[200, 1_000, 4_000])).filter(|_| !random.chance(200)),
            clients: 2 + random.below(3),
            is_together: often(&[0, 500, 1_000]),
            is_javas: random.chance(250),
            flushing: Some(millis(&[50, 300, 1_500])).filter(|_| !random.chance(250)),
            copies: random.pick(&[
                Copies::Replaced,
                Copies::Replaced,
                Copies::NewestFirst,
                Copies::AnyOrder,
            ]),
            is_labelled: random.chance(333),
            is_denied: often(&[0, 0, 0, 150]),
            shares_fate: often(&[0, 0, 1_000]),
            is_cancelled: often(&[0, 0, 20, 200]),
            is_torn: often(&[0, 0, 300]),
            width: match random.below(24) {
                0 => 5_000,
                1 => 1_500,
                2 | 3 => 200,
                _ => 0,
            },
            settings: ClientSettings {
                rollback_after: millis(&[300, 1_000, 3_000]),
                first_wait: millis(&[1, 5, 20]),
                longest_wait: millis(&[50, 200, 500]),
                give_up_after: millis(&[200, 1_000, 4_000]),
                horizon_period: millis(&[100, 500, 2_000]),
                max_transaction_age: millis(&[1_000, 4_000, 20_000]),
                ..ClientSettings::default()
            },
        }
    }
}
