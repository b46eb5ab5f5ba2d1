//! T13 to T15, A11 and A12: entries of transactions, read through their filters and kept by
//! compactions.
//!
//! The checks draw cells at random, with entries that transactions write and entries that no
//! transaction writes. They compare the answers of a table with the pure functions of
//! [`fluo_table::layout`].

mod cells;
mod entry;
mod expected;
mod filters;
mod garbage;
mod readiness;
mod resuming;

pub use filters::{
    t13_a_filter_of_one_column_shows_the_cells_that_its_function_selects,
    t13_a_filter_shows_the_cells_that_its_function_selects, t14_a_condition_applies_its_filter,
    t14_a_condition_that_cannot_apply_its_filter_is_rejected,
};
pub use garbage::{
    a11_a_compaction_drops_the_requested_garbage, a11_other_compactions_drop_no_garbage,
};
pub use readiness::a12_filters_work_or_fail_with_the_reason_of_the_check;
pub use resuming::{
    t15_a_scan_through_a_filter_can_be_resumed_batch_by_batch,
    t15_a_scan_through_a_filter_resumes_after_any_key,
};
