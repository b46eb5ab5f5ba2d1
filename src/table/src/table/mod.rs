//! The ports to a table: [`Table`] for data, [`TableAdmin`] for everything around it.
//!
//! Both traits are small and object safe, and are held as `Arc<dyn ..>`. The documentation of each
//! contains its contract, as numbered rules; a conformance suite checks the rules one by one on
//! every implementation. Implementations do not decide for themselves which stored entries a scan
//! shows (versions, deletes, visibility, columns, filters): [`EntryFilter`], one pure state
//! machine, defines that.

mod admin;
mod entry_filter;
mod garbage;
mod locality;
mod memory;
mod mutation;
mod port;
mod scan;
mod tablet;
mod versions;

pub use crate::data::property;
pub use crate::layout::{Filter, Prewrite};
pub use admin::{TableAdmin, check_table_name};
pub use entry_filter::{EntryFilter, StoredKey};
pub use garbage::{ColumnGarbage, Garbage};
pub use locality::LocalityGroups;
pub use memory::MemoryTables;
pub use mutation::{Change, Condition, ConditionalMutation, Mutation, Update};
pub use port::{CellBatches, MultiRowWrite, Outcome, Table};
pub use scan::{ColumnSelector, Scan};
pub use tablet::{Tablet, Tablets, check_split_points};
pub use versions::Versions;
