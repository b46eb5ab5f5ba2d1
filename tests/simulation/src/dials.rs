//! The intensity of the faults of a run.

use std::time::Duration;

use fluo_engine::ClientOptions;

use super::queues::QueueDials;
use super::random::Random;
use super::server::Copies;

/// The probabilities of the faults of a run, and the timeouts of its clients.
///
/// Each seed draws its own values, many of them zero. A run in which every call fails makes no
/// progress, and one kind of fault may hide the effects of another.
#[derive(Clone, Debug)]
pub(super) struct Dials {
    /// Number of calls of a table, out of a thousand, that fail without an effect.
    pub(super) fails_before: u64,
    /// Number of calls that take effect but return an unknown outcome.
    pub(super) fails_after: u64,
    /// Number of calls that have no effect but return an unknown outcome.
    pub(super) is_lost: u64,
    /// Number of calls that take effect late and return an unknown outcome.
    pub(super) is_late: u64,
    /// Number of calls, out of a hundred thousand, after which the client is disconnected
    /// permanently.
    pub(super) is_cut: u64,
    /// Number of calls, out of a hundred thousand, after which the session of the client ends while
    /// the client continues.
    pub(super) expires: u64,
    /// Number of slow calls, out of a thousand.
    pub(super) is_slow: u64,
    /// Maximum time of a usual call.
    pub(super) usual: Duration,
    /// Maximum time of a slow call.
    pub(super) slow: Duration,
    /// `true` if a late write may arrive after garbage was collected.
    pub(super) is_late_for_ever: bool,
    /// Maximum time for which a disconnected client still counts as alive.
    pub(super) session: Duration,
    /// The duration for which the actors work.
    pub(super) length: Duration,
    /// Maximum pause between two turns of an actor.
    pub(super) rest: Duration,
    /// Maximum pause between two garbage collections; `None` for no collections.
    pub(super) collection: Option<Duration>,
    pub(super) clients: u64,
    /// Number of clients, out of a thousand, that have a table that writes rows together.
    pub(super) is_together: u64,
    /// `true` if clients gather their reads, as on a table of another process.
    pub(super) is_remote: bool,
    /// `true` if the table was created by the Java client, whose iterators run in every compaction.
    pub(super) is_javas: bool,
    /// Maximum pause between two flushes or compactions of some files; `None` for neither.
    pub(super) flushing: Option<Duration>,
    /// The handling of two entries of one key.
    pub(super) copies: Copies,
    /// `true` if the clients see different labels.
    pub(super) is_labeled: bool,
    /// Number of clients, out of a thousand, that are denied reads or writes, temporarily or
    /// permanently.
    pub(super) is_denied: u64,
    /// Number of calls, out of a thousand with a lost answer, that lose the answers for all of
    /// their rows.
    pub(super) shares_fate: u64,
    /// Number of turns of an actor, out of a thousand, that are cancelled at a random moment.
    pub(super) is_cancelled: u64,
    /// Number of pieces of a scan, out of a thousand, that end inside a row.
    pub(super) is_torn: u64,
    /// Cells of a wide row; 0 for no such row.
    pub(super) width: u64,
    /// The options of the queues; `None` for a run without queues.
    pub(super) queues: Option<QueueDials>,
    /// The waits of the clients, as the methods of [`ClientOptions`] name them.
    pub(super) rollback_after: Duration,
    pub(super) first_pause: Duration,
    pub(super) max_pause: Duration,
    pub(super) max_elapsed: Duration,
    pub(super) horizon_period: Duration,
    pub(super) max_transaction_age: Duration,
}

impl Dials {
    pub(super) fn drawn(random: &Random, of_queues: &Random) -> Self {
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
            is_remote: random.chance(667),
            is_javas: random.chance(250),
            flushing: Some(millis(&[50, 300, 1_500])).filter(|_| !random.chance(250)),
            copies: random.pick(&[
                Copies::Replaced,
                Copies::Replaced,
                Copies::NewestFirst,
                Copies::AnyOrder,
            ]),
            is_labeled: random.chance(333),
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
            queues: QueueDials::drawn(of_queues),
            rollback_after: millis(&[300, 1_000, 3_000]),
            first_pause: millis(&[1, 5, 20]),
            max_pause: millis(&[50, 200, 500]),
            max_elapsed: millis(&[200, 1_000, 4_000]),
            horizon_period: millis(&[100, 500, 2_000]),
            max_transaction_age: millis(&[1_000, 4_000, 20_000]),
        }
    }

    /// Returns the options of the clients.
    pub(super) fn options(&self) -> ClientOptions {
        ClientOptions::new()
            .rollback_after(self.rollback_after)
            .first_pause(self.first_pause)
            .max_pause(self.max_pause)
            .max_elapsed(self.max_elapsed)
            .horizon_period(self.horizon_period)
            .max_transaction_age(self.max_transaction_age)
    }
}
