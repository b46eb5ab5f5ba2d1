//! The reference implementation: tables in memory, as simple as the contract allows.
//!
//! The other implementations are compared with it, and tests that need no durability use it.

mod admin;
mod store;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use store::Store;

use crate::clock::{Clock, SystemClock};

/// Tables in memory. A clone shares them.
#[derive(Clone, Debug)]
pub struct MemoryTables {
    tables: Arc<Mutex<BTreeMap<String, Arc<Mutex<Store>>>>>,
    clock: Arc<dyn Clock>,
    servers: usize,
}

impl MemoryTables {
    /// Creates an instance without tables, with the system's clock and two simulated servers.
    pub fn new() -> Self {
        Self::with(Arc::new(SystemClock), 2)
    }

    /// Creates an instance without tables, with a clock and a number of simulated servers.
    pub fn with(clock: Arc<dyn Clock>, servers: usize) -> Self {
        Self { tables: Arc::default(), clock, servers }
    }
}

impl Default for MemoryTables {
    fn default() -> Self {
        Self::new()
    }
}
