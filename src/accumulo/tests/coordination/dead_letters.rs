//! Failed notifications whose writes have no answer.

use fluo_tests::conformance_coordination::failed;
use fluo_zookeeper::Operation;

use crate::ground::Ground;

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_notification_whose_answer_was_lost_is_stored_once() {
    let ground = Ground::new().await;
    let process = ground.process().await;
    process.initialize().await;
    let coordination = process.open().await;
    process.link.lose_answer(Operation::Multi, "/dead-letters/");
    let add = coordination.add_dead_letter(failed("r"));
    let (added, ()) = tokio::join!(add, process.link.resume_after_cut());
    added.unwrap();
    assert_eq!(coordination.dead_letters().await.unwrap(), [failed("r")]);
}
