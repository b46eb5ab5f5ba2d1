//! Scenarios of transactions, which hold on every table: what one who uses them sees when all goes well, when two meet,
//! and when one dies at any of its calls.
//!
//! Each function makes a table and an application of its own, under names that nothing else uses, in the [`Instance`]
//! that it is given, and deletes the table at the end. A function panics where its scenario does not hold.
//!
//! [`suite!`] makes one test of each, as [`conformance::suite!`](crate::conformance::suite) does for
//! rules.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a scenario that does not hold must panic: that is how a test fails"
)]
#![allow(missing_docs, reason = "the name of a scenario says what it shows")]

mod bad_input;
mod crashing;
mod cutting;
pub mod damage;
mod ending;
mod failing;
mod flushing;
mod garbage;
mod instance;
mod loading;
mod meeting;
pub mod observed;
mod observing;
mod outliving;
mod pipelining;
mod read_locking;
mod reading;
mod scene;
mod session;
mod sharing;
mod under_way;
mod waiting;

pub use ending::EndingApplications;
pub use instance::Instance;

/// Hands the list of all scenarios, each with its module, to a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __for_each_scenario {
    ($with:path $(, $argument:expr)?) => {
        $with! {
            [$($argument)?]
            reading::what_is_committed_is_read_by_those_who_begin_later,
            reading::snapshots_show_their_own_time,
            reading::a_deleted_cell_has_no_value_until_it_is_set_again,
            reading::cells_are_read_by_row_by_column_and_in_scans,
            reading::a_transaction_does_not_read_its_own_writes,
            reading::any_bytes_come_back_as_they_were_set,
            meeting::the_second_of_two_that_write_a_cell_fails_and_says_who_was_first,
            meeting::one_that_only_read_what_another_wrote_commits,
            meeting::transfers_at_once_keep_the_sum,
            meeting::a_blind_write_meets_the_lock_of_the_dead_only_once,
            read_locking::readers_under_a_lock_do_not_meet,
            read_locking::a_write_excludes_who_has_read_under_a_lock,
            read_locking::write_skew_is_possible_and_gone_with_read_locks,
            read_locking::each_way_to_read_under_a_lock_locks_all_that_it_reads,
            read_locking::a_read_lock_of_the_dead_stops_nobody,
            crashing::one_that_dies_after_any_call_is_whole_or_nothing,
            crashing::one_that_hangs_after_any_call_is_whole_or_nothing,
            crashing::an_answer_that_is_lost_is_found_out,
            waiting::a_lock_of_the_living_is_waited_for,
            waiting::one_that_has_committed_is_rolled_forward_while_it_lives,
            session::a_client_whose_session_has_ended_goes_on_as_another_transactor,
            session::those_that_begin_at_once_after_it_has_ended_all_do,
            session::what_was_published_without_an_answer_is_taken_back,
            session::one_that_was_taken_for_dead_is_run_again_as_another_transactor,
            garbage::what_is_collected_is_seen_by_no_snapshot,
            garbage::a_snapshot_that_is_too_old_says_so,
            garbage::what_was_leaked_gets_no_wrong_data,
            pipelining::many_commits_in_the_background_all_come_to_an_end,
            pipelining::commits_in_the_background_are_bounded_in_number,
            pipelining::commits_in_the_background_are_bounded_in_bytes,
            pipelining::thousands_of_commits_are_in_flight_at_once,
            bad_input::a_wrong_cell_is_refused_and_the_rest_commits,
            bad_input::an_ended_transaction_does_nothing,
            outliving::an_open_transaction_keeps_its_client_alive,
            observing::a_chain_of_strong_observers_runs_to_its_end,
            observing::a_weak_observer_runs_where_it_is_asked_for,
            observing::a_notification_set_while_the_observer_runs_survives,
            observing::a_delete_notifies_only_whom_it_asks_for,
            observing::an_observer_may_delete_what_it_observes,
            observing::a_notification_that_another_has_acknowledged_is_not_processed_again,
            sharing::two_workers_share_and_each_notification_commits_once,
            failing::one_that_fails_is_set_aside_listed_mended_and_put_back,
            flushing::a_flush_between_two_steps_brings_no_lock_back,
            flushing::a_lock_that_a_flush_brought_back_stops_nobody,
            flushing::an_item_that_was_set_twice_is_taken_once_whatever_is_flushed,
            flushing::read_locks_and_deletes_are_over_whatever_is_flushed,
            damage::a_damaged_entry_is_never_a_value,
            loading::loaders_wait_for_room_and_lose_nothing,
        }
    };
}

macro_rules! list_scenarios {
    ([] $($module:ident::$scenario:ident,)*) => {
        $(pub use $module::$scenario;)*
    };
}

__for_each_scenario!(list_scenarios);

/// Makes a test of each scenario; the argument is an async function that opens an instance, with whatever must live as
/// long.
#[doc(hidden)]
#[macro_export]
macro_rules! __scenario_tests {
    ([$open:expr] $($module:ident::$scenario:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $scenario() {
                let (instance, _keep) = $open().await;
                $crate::scenarios::$scenario(instance).await;
            }
        )*
    };
}

/// Makes one test of each scenario.
#[doc(hidden)]
#[macro_export]
macro_rules! __scenario_suite {
    ($open:expr) => {
        $crate::__for_each_scenario!($crate::__scenario_tests, $open);
    };
}

pub use crate::__scenario_suite as suite;
