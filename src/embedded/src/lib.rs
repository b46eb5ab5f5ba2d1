//! Tables of Accumulo's model in one directory: durable, transactional by row, with no server to run.
mod admin;
mod catalog;
mod compaction;
mod condition;
mod contain;
mod directory;
mod error;
mod file;
mod key;
mod scan;
mod schema;
mod settings;
mod store;
mod table;
mod tables;
mod tablets;
mod writer;

pub use settings::Settings;
pub use tables::EmbeddedTables;
