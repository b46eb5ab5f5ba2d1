//! Deterministic simulation: the real engine, on a table and a coordination that fail, in time that costs nothing.
//!
//! A run is one thread, one clock that stands still while anybody has something to do, and one source of chance, which
//! a seed starts. So a seed is a run, to the last step: what it finds can be looked at as often as it takes.
//!
//! Several clients play their parts at once (the folder `actor`): they move money, count, overwrite blindly, try write
//! skew, write cells with labels, read for long. Every call of theirs passes a link that takes time, fails before or after
//! it had its effect, loses answers, denies, lets writes arrive late, and at any call may cut the client off for ever. The
//! table (the folder `server`) flushes and compacts its files one by one meanwhile, and garbage is collected.
//!
//! What is wrong shows in three ways: while it runs, where a reader sees another sum or a primary is decided twice; at the
//! end, when nothing fails any more, and one client has to clean up behind all others; and after it, when the whole
//! history is held against what was committed (the folder `check`).

mod actor;
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
mod random;
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
