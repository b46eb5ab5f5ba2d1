//! The metrics of an oracle.

use std::collections::BTreeMap;

use fluo_accumulo::telemetry::METRICS;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::ground::{Ground, count};

/// All tasks run in one thread, so the recorder receives everything.
#[tokio::test]
async fn counts_terms_timestamps_and_refused_requests() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let recorded = || {
        let all = snapshotter.snapshot().into_vec().into_iter();
        let recorded = all.map(|(key, _, _, value)| {
            let value = match value {
                DebugValue::Counter(value) => value,
                DebugValue::Gauge(value) => u64::from(value.0 != 0.0),
                DebugValue::Histogram(_) => 0,
            };
            (key.key().name().to_owned(), value)
        });
        recorded.collect::<BTreeMap<_, _>>()
    };
    let ground = Ground::new().await;
    let oracle = ground.leader(&ground.link).await;
    let address = oracle.leads_at().unwrap();
    let client = ground.oracle_client().await;
    client.timestamps(count(3)).await.unwrap();
    client.timestamps(count(2_000)).await.unwrap();
    let mut stranger = TcpStream::connect(address).await.unwrap();
    stranger.write_all(b"\0\0\0\x03abc").await.unwrap();
    // The oracle closes the connection after it has counted.
    stranger.readable().await.unwrap();
    let first = recorded();
    for (name, value) in [
        ("fluo_oracle_leads", 1),
        ("fluo_oracle_refused_requests_total", 1),
        ("fluo_oracle_reservations_total", 2),
        ("fluo_oracle_terms_total", 1),
        ("fluo_oracle_timestamps_total", 2_003),
        // That of the oracle, and that of the client.
        ("fluo_zookeeper_sessions_total", 2),
    ] {
        assert_eq!(first.get(name), Some(&value), "{name}");
        assert!(METRICS.iter().any(|metric| metric.name == name), "{name}");
    }
    assert_eq!(first.len(), METRICS.len());
    oracle.stop().await;
    assert_eq!(recorded().get("fluo_oracle_leads"), Some(&0));
}
