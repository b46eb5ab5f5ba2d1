//! Scenarios of transactions, which hold on every table: the behavior that a user observes in the
//! normal case, with concurrent transactions, and when a client crashes at any of its calls.
//!
//! Each function creates a table and an application with unique names in its
//! [`Instance`](fluo_table::Instance). It panics if the scenario does not hold. The suite deletes
//! the tables of a scenario that holds.
//!
//! [`suite!`] generates one test for each scenario, as
//! [`conformance::suite!`](crate::conformance::suite) does for rules.

#![allow(missing_docs, reason = "the name of a scenario states its behavior")]

mod accounts;
mod bad_input;
mod crashing;
pub mod damage;
mod failing;
mod flushing;
mod garbage;
mod meeting;
pub mod observed;
mod observing;
mod outliving;
mod pipelining;
mod read_locking;
mod reading;
mod session;
mod sharing;
mod under_way;
mod waiting;

/// Passes the list of all scenarios, each with its module, to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_scenario {
    ($with:path $(, $argument:expr)?) => {
        $with! {
            [$($argument)?]
            reading::committed_writes_are_visible_to_later_transactions,
            reading::a_snapshot_shows_the_state_at_its_start,
            reading::a_deleted_cell_has_no_value_until_it_is_set_again,
            reading::cells_are_read_by_row_by_column_and_in_scans,
            reading::a_transaction_does_not_read_its_own_writes,
            reading::any_bytes_are_stored_unchanged,
            meeting::the_second_writer_of_a_cell_fails_and_names_the_first,
            meeting::a_transaction_that_only_read_an_overwritten_cell_commits,
            meeting::concurrent_transfers_keep_the_sum,
            meeting::a_failed_blind_write_resolves_the_lock_of_a_crashed_client,
            read_locking::read_locks_do_not_conflict_with_each_other,
            read_locking::a_write_conflicts_with_a_read_lock,
            read_locking::read_locks_prevent_write_skew,
            read_locking::every_read_method_locks_all_cells_that_it_reads,
            read_locking::a_read_lock_of_a_crashed_client_blocks_no_transaction,
            crashing::a_commit_is_atomic_if_its_client_crashes_after_any_call,
            crashing::a_commit_is_atomic_if_its_client_hangs_after_any_call,
            crashing::a_commit_succeeds_after_a_lost_answer,
            waiting::a_reader_waits_for_the_lock_of_a_live_client,
            waiting::a_committed_transaction_of_a_live_client_is_rolled_forward,
            session::a_client_continues_as_a_new_transactor_after_its_session_ends,
            session::all_concurrent_transactions_begin_after_a_session_ends,
            session::a_publication_with_a_lost_answer_is_withdrawn,
            session::a_transaction_of_an_ended_session_is_retried_by_a_new_transactor,
            garbage::garbage_collection_changes_no_snapshot,
            garbage::a_snapshot_that_is_too_old_fails,
            garbage::a_leaked_snapshot_reads_no_wrong_data,
            pipelining::all_commits_in_the_background_complete,
            pipelining::commits_in_the_background_are_bounded_in_number,
            pipelining::commits_in_the_background_are_bounded_in_bytes,
            pipelining::thousands_of_commits_are_in_flight_at_once,
            bad_input::an_invalid_cell_is_rejected_and_the_rest_commits,
            bad_input::an_ended_transaction_writes_nothing,
            outliving::an_open_transaction_keeps_its_client_alive,
            observing::a_chain_of_strong_observers_runs_to_its_end,
            observing::a_weak_observer_runs_only_when_it_is_notified,
            observing::a_notification_set_while_the_observer_runs_survives,
            observing::a_delete_notifies_only_the_requested_observer,
            observing::an_observer_may_delete_the_observed_cell,
            observing::an_observer_runs_without_a_change_for_a_commit_that_fails,
            observing::a_notification_that_another_has_acknowledged_is_not_processed_again,
            sharing::two_workers_share_notifications_and_each_commits_once,
            sharing::three_workers_process_an_unpartitioned_notification,
            failing::a_failing_notification_becomes_a_dead_letter_that_can_be_retried,
            flushing::a_flush_between_two_steps_restores_no_lock,
            flushing::a_lock_that_a_flush_restores_blocks_no_transaction,
            flushing::a_queue_item_that_is_set_twice_is_processed_once_despite_flushes,
            flushing::ended_read_locks_and_deletes_stay_ended_despite_flushes,
            damage::a_damaged_entry_is_never_read_as_a_value,
        }
    };
}

macro_rules! list_scenarios {
    ([] $($module:ident::$scenario:ident,)*) => {
        $(pub use $module::$scenario;)*
    };
}

__for_each_scenario!(list_scenarios);

/// Generates a test for each scenario. The argument is an async function that opens an instance,
/// together with anything that must live as long, or returns `None` to skip the tests.
#[doc(inline)]
pub use crate::__scenario_suite as suite;

#[doc(hidden)]
#[macro_export]
macro_rules! __scenario_suite {
    ($open:expr) => {
        $crate::__for_each_scenario!($crate::__scenario_tests, $open);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __scenario_tests {
    ([$open:expr] $($module:ident::$scenario:ident,)*) => {
        $(
            #[::tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $scenario() {
                let opened: Option<(_, _)> = ($open)().await.into();
                let Some((instance, held)) = opened else { return };
                $crate::checked($crate::scenarios::$scenario(instance)).await;
                drop(held);
            }
        )*
    };
}
