//! The conformance suite of the ports: one function for each rule of their contracts.
//!
//! The name of each function begins with the rule that it checks. The rules T1 to T16 belong to
//! [`Table`](fluo_table::Table), A1 to A12 to [`TableAdmin`], and V1 to V5 to
//! [`EntryFilter`](fluo_table::table::EntryFilter), observed through scans. A function creates
//! tables with unique names, and the suite deletes them after it. So rules can run concurrently, on
//! an instance that is in use. If a rule does not hold, its function panics and leaves its tables
//! for inspection.
//!
//! # Use
//!
//! [`suite!`] generates one test for each rule, so that a failure names the rule. Its argument is
//! an async function that opens an instance, together with anything that must live as long, such as
//! a temporary directory.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fluo_table::{MemoryTables, TableAdmin};
//!
//! async fn open() -> (Arc<dyn TableAdmin>, ()) {
//!     (Arc::new(MemoryTables::new()), ())
//! }
//!
//! fluo_tests::conformance::suite!(open);
//! ```
//!
//! `cargo xtask conformance` runs the rules on an instance of the user.
//!
//! [`run_all`] runs the same rules one after the other, and [`RULES`] lists them. Some checks are
//! not in the list, because they need more than an instance: reopening (T5, T7), a clock that is
//! set back (T7), tables with an identity beyond their name
//! ([`a3_no_write_reaches_the_next_table`]), and [`agrees_with_reference`], which runs random
//! operations on a table and on the reference.
//!
//! # Requirements on an instance
//!
//! The caller may create tables and holds the [`AUTHORIZATIONS`]. The clock shows the real time.
//!
//! # Limits
//!
//! The suite does not check what the contract leaves open: the concurrent writes that a running
//! scan sees, counts beyond A7, the time at which a delete marker is dropped. No rule writes a key
//! twice in a table that shows all versions, because such a table may show both values.

mod agreement;
mod cancelling;
mod compaction;
mod conditional;
mod contention;
mod ground;
mod keeping;
mod life;
mod reading;
mod reopening;
mod resuming;
mod settings;
mod tablets;
mod together;
mod transactions;
mod view;
mod writing;

use std::sync::Arc;

use fluo_table::TableAdmin;

use crate::rule::{self, define_suite};

pub use agreement::{Workload, agree, agrees_with_reference};
pub use contention::a3_no_write_reaches_the_next_table;
pub use ground::table_prefix;
pub use reopening::{
    t5_acknowledged_writes_survive_reopening, t7_the_time_of_the_table_survives_reopening,
};
pub use writing::t7_the_time_of_the_table_advances_when_its_clock_is_set_back;

/// The authorizations that the caller must hold.
pub const AUTHORIZATIONS: [&str; 3] = ["A", "B", "a b"];

/// A rule of the suite.
pub type Rule = rule::Rule<Port>;

type Port = Arc<dyn TableAdmin>;

/// Passes the list of all rules, each with its module, to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_rule {
    ($with:path $(, $argument:expr)*) => {
        $with! {
            [$($argument),*]
            reading::t1_cells_come_in_key_order,
            reading::t1_a_cell_in_several_spans_comes_once,
            reading::t1_many_cells_come_in_bounded_batches,
            reading::t2_any_bytes_are_stored_unchanged,
            reading::t2_a_span_yields_exactly_its_keys,
            reading::t3_a_scan_sees_acknowledged_writes,
            reading::t3_a_running_scan_blocks_no_other_call,
            view::v1_a_scan_shows_the_columns_that_it_selects,
            view::v1_a_handle_shows_the_cells_of_its_authorizations,
            view::v2_a_delete_hides_its_column_at_and_below_its_timestamp,
            view::v2_a_delete_hides_later_writes_at_or_below_its_timestamp,
            view::v3_the_newest_versions_are_shown,
            view::v3_the_version_properties_can_be_changed,
            view::v4_the_first_cell_of_a_row_is_the_first_shown_cell,
            resuming::v5_a_scan_resumes_after_any_key,
            resuming::v5_each_of_several_spans_may_begin_anywhere,
            resuming::v5_a_scan_can_be_resumed_batch_by_batch,
            contention::t4_a_mutation_is_atomic,
            writing::t6_the_later_of_two_puts_to_one_key_wins,
            writing::t7_a_given_timestamp_is_kept,
            writing::t7_the_time_of_the_table_does_not_go_back,
            writing::t8_an_invalid_call_writes_nothing,
            writing::t8_a_large_mutation_is_stored_whole_or_rejected,
            contention::t9_concurrent_increments_are_all_counted,
            contention::t9_one_of_many_claims_is_accepted,
            conditional::t10_a_condition_checks_its_column,
            conditional::t10_a_condition_sees_the_versions_of_the_table,
            conditional::t10_a_condition_sees_the_cells_of_its_handle,
            conditional::t11_there_is_an_outcome_for_each_mutation_in_order,
            conditional::t11_a_call_without_mutations_has_no_outcomes,
            cancelling::t12_a_cancelled_call_is_atomic,
            transactions::t13_a_filter_shows_the_cells_that_its_function_selects,
            transactions::t13_a_filter_of_one_column_shows_the_cells_that_its_function_selects,
            transactions::t14_a_condition_applies_its_filter,
            transactions::t14_a_condition_that_cannot_apply_its_filter_is_rejected,
            transactions::t15_a_scan_through_a_filter_resumes_after_any_key,
            transactions::t15_a_scan_through_a_filter_can_be_resumed_batch_by_batch,
            together::t16_rows_are_written_together_or_not_at_all,
            together::t16_an_invalid_call_writes_nothing,
            together::t16_rows_that_are_written_together_are_seen_together,
            together::t16_a_pending_commit_ends_when_its_write_is_visible,
            life::a1_an_invalid_name_is_rejected,
            life::a2_a_table_that_does_not_exist_is_not_found,
            life::a2_creating_a_table_twice_changes_nothing,
            life::a2_one_of_many_concurrent_creations_succeeds,
            life::a3_a_deleted_table_leaves_nothing_behind,
            life::a3_a_handle_fails_after_its_table_is_deleted,
            tablets::a4_split_points_are_a_sorted_set,
            tablets::a4_an_empty_split_point_is_rejected,
            tablets::a4_one_call_adds_many_split_points,
            tablets::a5_a_merge_removes_the_split_points_between_its_bounds,
            keeping::a6_split_points_and_properties_change_no_scan,
            tablets::a7_tablets_follow_the_split_points,
            tablets::a7_a_flushed_tablet_counts_its_cells,
            keeping::a8_a_compaction_changes_no_scan,
            keeping::a8_a_compaction_keeps_every_visible_cell,
            compaction::a8_a_running_compaction_changes_no_scan,
            compaction::a8_no_write_is_lost_to_a_compaction,
            settings::a9_a_property_takes_effect_at_once,
            settings::a9_changes_of_properties_end_at_the_first_error,
            settings::a9_a_call_may_be_repeated,
            settings::a10_an_invalid_property_name_is_rejected,
            settings::a10_the_servers_load_only_existing_classes,
            transactions::a11_a_compaction_drops_the_requested_garbage,
            transactions::a11_other_compactions_drop_no_garbage,
            transactions::a12_filters_work_or_fail_with_the_reason_of_the_check,
            settings::a13_a_class_path_is_set_or_refused,
        }
    };
}

__for_each_rule!(define_suite);

/// Generates a test for each rule. The argument is an async function without arguments that opens
/// an instance: it returns the `Arc<dyn TableAdmin>` and anything that must live as long, or `None`
/// to skip the tests, which need tokio and its macros.
#[doc(inline)]
pub use crate::__conformance_suite as suite;

#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_suite {
    ($open:expr) => {
        $crate::__for_each_rule!($crate::__tests_of_suite, $crate::conformance::rule, $open);
    };
}
