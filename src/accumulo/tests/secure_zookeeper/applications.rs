//! An oracle and the processes of an application over TLS and with SASL, and with SASL alone.

use std::num::NonZeroU32;
use std::time::Duration;

use fluo_accumulo::{Oracle, OracleClient};
use fluo_table::Timestamp;
use fluo_table::coordination::Application;

use crate::ground::{Ground, NAME, Protection, RIGHT, TABLE};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_works_and_its_sessions_survive_a_restart_of_the_server() {
    works_and_survives_a_restart(&RIGHT).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sasl_needs_no_tls_and_one_of_several_servers_is_enough() {
    works_and_survives_a_restart(&Protection { authorities: None, ..RIGHT }).await;
}

async fn works_and_survives_a_restart(protection: &Protection) {
    let Some(mut ground) = Ground::new().await else { return };
    let fluo = fluo_accumulo::connect(ground.options(protection)).await.unwrap();
    let applications = fluo.applications().clone();
    applications.initialize(NAME, Application::new("1", TABLE)).await.unwrap();
    let mut oracle = Oracle::start(ground.oracle(protection)).await.unwrap();
    oracle.wait_for_lead().await.unwrap();
    let coordination = applications.open(NAME).await.unwrap();
    let transactor = coordination.begin_transactor().await.unwrap();
    let client = OracleClient::connect(&ground.oracle(protection)).await.unwrap();
    let first = client.timestamps(NonZeroU32::MIN).await.unwrap();

    ground.server.restart().unwrap();
    // The session of the transactor continues.
    let at = Timestamp::new(7).unwrap();
    while let Err(error) = transactor.publish_oldest_active(Some(at)).await {
        assert!(!error.to_string().contains("begin a new one"), "{error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(coordination.is_alive(transactor.id()).await.unwrap());
    oracle.wait_for_lead().await.unwrap();
    let second = client.timestamps(NonZeroU32::MIN).await.unwrap();
    assert!(second.first > first.first);
    drop((transactor, client));
    oracle.stop().await;
    drop(coordination);
    applications.remove(NAME).await.unwrap();
}

/// Tests a regression: the client sent its identity with the request for a session, and a few
/// percent of the connections failed, because the server answered the identity first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_connection_succeeds() {
    let Some(ground) = Ground::new().await else { return };
    for _ in 0..300 {
        let error = OracleClient::connect(&ground.oracle(&RIGHT)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("application `{NAME}` does not exist; create it first")
        );
    }
}
