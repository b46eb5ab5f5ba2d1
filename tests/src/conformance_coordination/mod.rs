//! The conformance suite of coordination: one function for each rule of the contracts of
//! [`Applications`] and [`Coordination`](fluo_table::coordination::Coordination).
//!
//! The name of each function begins with the rule (C1 to C20) that it checks. A function creates
//! applications with unique names, and the suite removes them after it. So rules can run
//! concurrently, on an instance that is in use. If a rule does not hold, its function panics and
//! leaves its application for inspection.
//!
//! # Use
//!
//! [`suite!`] generates one test for each rule, as
//! [`conformance::suite!`](crate::conformance::suite) does for tables.
//!
//! [`run_all`] runs the same rules one after the other, and [`RULES`] lists them. Some checks are
//! not in the list, because they need more than an instance: reopening, a session that ends before
//! its transactor is dropped, and the maximum number of dead letters, which must be stored first.

mod configuration;
mod epochs;
mod ground;
mod horizon;
mod life;
mod locks;
mod pending;
mod removal;
mod reopening;
mod set_aside;
mod timestamps;
mod transactors;
mod workers;

use std::sync::Arc;

use fluo_table::coordination::Applications;

use crate::rule::{self, define_suite};

pub use ground::failed;
pub use reopening::{
    c2_timestamps_continue_after_reopening, c3_the_horizon_survives_reopening,
    c6_numbers_are_not_used_again_after_reopening, c12_completed_calls_survive_reopening,
};
pub use set_aside::c8_the_number_of_dead_letters_is_bounded;
pub use timestamps::c19_ages_follow_the_clock;
pub use transactors::c6_a_transactor_is_not_alive_after_its_session_ends;

/// A rule of the suite.
pub type Rule = rule::Rule<Port>;

type Port = Arc<dyn Applications>;

/// Passes the list of all rules, each with its module, to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_coordination_rule {
    ($with:path $(, $argument:expr)*) => {
        $with! {
            [$($argument),*]
            timestamps::c1_the_first_timestamp_is_two,
            timestamps::c1_a_block_has_the_requested_size,
            timestamps::c1_timestamps_are_handed_out_once,
            timestamps::c2_later_calls_get_later_timestamps,
            timestamps::c19_ages_are_lower_bounds,
            horizon::c3_the_horizon_begins_at_zero_and_is_in_the_blocks,
            horizon::c4_the_horizon_advances_to_the_next_timestamp,
            horizon::c4_the_oldest_published_timestamp_holds_the_horizon,
            horizon::c4_the_horizon_never_goes_back,
            horizon::c5_a_cancelled_publication_does_not_overtake_a_later_one,
            horizon::c5_a_dropped_transactor_does_not_hold_the_horizon,
            horizon::c5_the_horizon_does_not_pass_a_published_timestamp,
            transactors::c6_numbers_begin_at_one_and_are_not_used_twice,
            transactors::c6_a_transactor_is_alive_until_it_is_dropped,
            workers::c7_shares_are_in_the_order_of_joining,
            workers::c7_every_cell_is_in_one_share,
            workers::c7_shares_are_complete_after_many_joins,
            set_aside::c8_the_last_dead_letter_of_a_cell_is_kept,
            set_aside::c8_a_later_dead_letter_is_not_removed,
            set_aside::c8_dead_letters_are_listed_by_cell,
            set_aside::c8_a_long_error_is_truncated,
            configuration::c9_a_configuration_is_stored_unchanged,
            configuration::c9_settings_are_replaced_as_a_whole,
            configuration::c9_invalid_settings_change_nothing,
            configuration::c9_the_largest_configuration_is_stored,
            epochs::c14_an_opening_has_one_epoch,
            epochs::c14_the_epoch_of_a_copy_is_rejected,
            life::c10_an_invalid_name_is_rejected,
            life::c10_a_missing_application_is_not_found,
            life::c10_an_invalid_application_is_not_initialized,
            life::c10_initializing_twice_changes_nothing,
            life::c10_one_of_many_concurrent_initializations_succeeds,
            life::c10_a_table_has_one_application,
            life::c10_applications_are_isolated,
            removal::c11_a_removed_application_leaves_nothing_behind,
            removal::c11_a_handle_fails_after_its_application_is_removed,
            removal::c11_a_running_application_is_not_removed,
            removal::c11_no_transactor_begins_in_a_removed_application,
            removal::c12_a_cancelled_caller_is_not_present,
            workers::c20_processes_are_listed_while_they_are_present,
            life::c13_one_of_many_concurrent_claims_succeeds,
            locks::c15_one_caller_has_a_duty,
            locks::c16_nobody_begins_during_an_exclusive_use,
            pending::c18_timestamps_wait_for_lower_commits,
            pending::c18_timestamps_do_not_wait_for_later_commits,
            pending::c18_the_horizon_does_not_pass_a_pending_commit,
        }
    };
}

__for_each_coordination_rule!(define_suite);

/// Generates a test for each rule. The argument is an async function without arguments that opens
/// an instance: it returns the `Arc<dyn Applications>` and anything that must live as long. The
/// tests need tokio and its macros.
#[doc(inline)]
pub use crate::__coordination_suite as suite;

#[doc(hidden)]
#[macro_export]
macro_rules! __coordination_suite {
    ($open:expr) => {
        $crate::__for_each_coordination_rule!(
            $crate::__tests_of_suite,
            $crate::conformance_coordination::rule,
            $open
        );
    };
}
