//! The applications in memory pass the conformance suite of coordination.

use std::sync::Arc;

use fluo_table::coordination::{Application, Applications, FailedNotification, MemoryApplications};
use fluo_tests::{FaultyApplications, ManualClock, conformance_coordination};

async fn memory() -> (Arc<dyn Applications>, ()) {
    (Arc::new(MemoryApplications::new()), ())
}

conformance_coordination::suite!(memory);

mod faulty_without_faults {
    use super::{Applications, Arc, FaultyApplications, conformance_coordination, memory};

    async fn faulty() -> (Arc<dyn Applications>, ()) {
        let (memory, ()) = memory().await;
        (Arc::new(FaultyApplications::new(memory)), ())
    }

    conformance_coordination::suite!(faulty);
}

#[tokio::test]
async fn ages_follow_the_clock() {
    let clock = Arc::new(ManualClock::at(0));
    let applications = Arc::new(MemoryApplications::with_clock(clock.clone()));
    let set_clock = |now_ms| clock.set(now_ms);
    conformance_coordination::c19_ages_follow_the_clock(applications, set_clock).await;
}

#[tokio::test]
async fn limits_the_number_of_dead_letters() {
    let applications = Arc::new(MemoryApplications::new());
    let application = Application::new("1", "t");
    applications.initialize("web", application).await.unwrap();
    let web = applications.open("web").await.unwrap();
    for row in 0..FailedNotification::MAX_DEAD_LETTERS - 2 {
        let failed = conformance_coordination::failed(format!("{row:05}"));
        web.add_dead_letter(failed).await.unwrap();
    }
    conformance_coordination::c8_the_number_of_dead_letters_is_bounded(applications, "web").await;
}

#[tokio::test]
async fn a_session_can_end_before_its_owner() {
    let memory = MemoryApplications::new();
    let applications = Arc::new(memory.clone());
    let end = async |name: &str, transactor| {
        assert!(memory.end_transactor(name, transactor).unwrap());
        assert!(!memory.end_transactor(name, transactor).unwrap());
    };
    conformance_coordination::c6_a_transactor_is_not_alive_after_its_session_ends(
        applications,
        end,
    )
    .await;
}

/// Reopens applications in memory as a clone, because there is no other way to reopen them.
#[tokio::test]
async fn a_clone_shares_the_applications() {
    let memory = MemoryApplications::new();
    let open = async || Arc::new(memory.clone()) as Arc<dyn Applications>;
    conformance_coordination::c2_timestamps_continue_after_reopening(open).await;
    conformance_coordination::c3_the_horizon_survives_reopening(open).await;
    conformance_coordination::c6_numbers_are_not_used_again_after_reopening(open).await;
    conformance_coordination::c12_completed_calls_survive_reopening(open).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_instance_passes_all_rules_and_is_empty_afterwards() {
    let applications = Arc::new(MemoryApplications::new());
    conformance_coordination::run_all(applications.clone()).await;
    assert!(applications.list().await.unwrap().is_empty());
}
