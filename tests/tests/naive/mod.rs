//! Tables that are their log: every answer is worked out from all writes, by brute force, from the words of
//! the contract. It shares no code with the reference beyond the data types, so that one checks the other.

mod admin;
mod log;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use log::Log;

#[derive(Debug, Default)]
pub struct NaiveTables {
    tables: Mutex<BTreeMap<String, Arc<Mutex<Log>>>>,
}
