//! The conformance suite of coordination.

use std::sync::Arc;

use fluo_table::coordination::{Application, FailedNotification};
use fluo_tests::conformance_coordination;
use futures::stream::{self, TryStreamExt};

use crate::cluster::{applications, cluster, fresh_name, zookeepers};
use crate::oracles::{self, WithOracles};

/// The rules whose checks request timestamps, so that they need an oracle.
const WITH_TIMESTAMPS: [&str; 17] = [
    "c1_the_first_timestamp_is_two",
    "c1_a_block_has_the_requested_size",
    "c1_timestamps_are_handed_out_once",
    "c2_later_calls_get_later_timestamps",
    "c3_the_horizon_begins_at_zero_and_is_in_the_blocks",
    "c4_the_horizon_advances_to_the_next_timestamp",
    "c4_the_oldest_published_timestamp_holds_the_horizon",
    "c4_the_horizon_never_goes_back",
    "c5_a_cancelled_publication_does_not_overtake_a_later_one",
    "c5_a_dropped_transactor_does_not_hold_the_horizon",
    "c5_the_horizon_does_not_pass_a_published_timestamp",
    "c10_initializing_twice_changes_nothing",
    "c10_applications_are_isolated",
    "c11_a_removed_application_leaves_nothing_behind",
    "c11_a_handle_fails_after_its_application_is_removed",
    "c11_a_running_application_is_not_removed",
    "c19_ages_are_lower_bounds",
];

macro_rules! live_rules {
    ([] $($module:ident::$rule:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $rule() {
                check(stringify!($rule)).await;
            }
        )*
    };
}

fluo_tests::__for_each_coordination_rule!(live_rules);

async fn check(name: &'static str) {
    let Some(applications) = applications().await else { return };
    let applications = match WITH_TIMESTAMPS.contains(&name) {
        true => Arc::new(WithOracles::new(applications, zookeepers(cluster().unwrap()))),
        false => applications,
    };
    oracles::check(name, applications).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_state_survives_reopening() {
    if applications().await.is_none() {
        return;
    }
    let open = async || applications().await.unwrap();
    conformance_coordination::c6_numbers_are_not_used_again_after_reopening(&open).await;
    conformance_coordination::c12_completed_calls_survive_reopening(&open).await;
}

/// Stores two failed notifications fewer than the maximum first, with several clients.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_the_number_of_dead_letters() {
    let Some(applications) = applications().await else { return };
    let name = fresh_name("letters");
    let application = Application::new("1", &name);
    applications.initialize(&name, application).await.unwrap();
    let mut handles = Vec::new();
    for _ in 0..8 {
        handles.push(applications.open(&name).await.unwrap());
    }
    let rows = 0..FailedNotification::MAX_DEAD_LETTERS - 2;
    let handles = &handles;
    let stored = stream::iter(rows.map(Ok)).try_for_each_concurrent(8, |row| {
        let failed = conformance_coordination::failed(format!("{row:05}"));
        handles[row % 8].add_dead_letter(failed)
    });
    stored.await.unwrap();
    conformance_coordination::c8_the_number_of_dead_letters_is_bounded(applications, &name).await;
}
