//! Tables that consist of their log. Every answer is computed from all writes by brute force,
//! according to the words of the contract. The tables share only the data types with the reference,
//! so that one checks the other.

mod admin;
mod log;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use log::Log;

#[derive(Debug, Default)]
pub(crate) struct NaiveTables {
    tables: Mutex<BTreeMap<String, Arc<Mutex<Log>>>>,
}
