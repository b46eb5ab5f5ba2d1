//! Deterministic simulation: the real engine, on a table and a coordination that fail, in simulated
//! time.
//!
//! A run has one thread, one clock that only advances while no task can run, and one random
//! generator, which a seed starts. So a seed is a run, to the last step, and a failure can be
//! replayed any number of times.
//!
//! Several clients play their parts concurrently (the folder `actor`): they move money, count,
//! overwrite blindly, try write skew, write cells with labels, and read for a long time. In some
//! runs they also add to a combine queue, and send parcels through an export queue. Every call
//! passes a link that takes time, fails before or after the call takes effect, loses answers,
//! denies calls, and delays writes. Any call may also disconnect the client permanently. Meanwhile
//! the table (the folder `server`) flushes and compacts its files one by one, and garbage is
//! collected.
//!
//! A run finds violations in three ways. During the run, a reader sees a wrong sum, or a primary is
//! decided twice. At the end, when nothing fails any more, one client cleans up behind all others.
//! After it, the whole history is compared with the committed transactions (the folder `check`).

mod actor;
mod arrival;
mod check;
mod commits;
mod coordination;
mod crew;
mod denial;
mod dials;
mod elle;
mod ground;
mod history;
mod housekeeping;
mod labels;
mod late;
mod link;
mod observing;
mod queue_log;
mod queues;
mod random;
mod receiver;
mod recorded;
mod run;
mod server;
mod settle;
mod table;
mod trace;
mod words;
mod world;
mod world_bug;

pub use run::{Report, Simulation};
pub use world_bug::WorldBug;
