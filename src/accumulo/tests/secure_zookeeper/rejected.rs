//! Clients that the server rejects, or that reject the server.

use fluo_accumulo::{AccumuloOptions, OracleOptions, ZooKeeperOptions};
use fluo_table::ErrorKind;

use crate::ground::{Ground, NAME, Protection, RIGHT};

/// Returns the kind and the message of the error of a connection, without its start.
async fn rejected(options: AccumuloOptions, servers: &str) -> (ErrorKind, String) {
    let error = fluo_accumulo::connect(options).await.unwrap_err();
    let (message, start) = (error.to_string(), format!("ZooKeeper at `{servers}` "));
    (error.kind(), message.strip_prefix(&start).unwrap_or(&message).to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_rejection_is_a_sentence() {
    let Some(ground) = Ground::new().await else { return };
    let (secure, plain) = (ground.server.secure(), ground.server.plain());
    let tls = format!("cannot be reached: TLS with `{secure}` failed: ");
    let unavailable = ErrorKind::Unavailable;
    for (protection, kind, expected) in [
        (
            Protection { has_certificate: false, ..RIGHT },
            unavailable,
            format!("{tls}it rejects the certificate of the client, or requires one"),
        ),
        (
            Protection { authorities: Some("other.pem"), ..RIGHT },
            unavailable,
            format!("{tls}its certificate is not issued by a given authority"),
        ),
        (
            Protection { password: Some("other"), ..RIGHT },
            ErrorKind::Denied,
            "rejects the authentication of the client as user `fluo`".to_owned(),
        ),
        (
            Protection { password: None, ..RIGHT },
            ErrorKind::Denied,
            "rejects the authentication of the client".to_owned(),
        ),
    ] {
        assert_eq!(rejected(ground.options(&protection), &secure).await, (kind, expected));
    }
    let options = ZooKeeperOptions::new(format!("{plain}/fluo"));
    let options = options.tls(ground.certificates(&RIGHT).unwrap());
    let options = OracleOptions::new(options, NAME).unwrap();
    let error = fluo_accumulo::OracleClient::connect(&options).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "ZooKeeper at `{plain}` cannot be reached: `{plain}`: it closes the connection at once, as a port without TLS does"
        )
    );
    let by_address = secure.replace("localhost", "127.0.0.1");
    let options = ZooKeeperOptions::new(format!("{by_address}/fluo"));
    let options = options.tls(ground.certificates(&RIGHT).unwrap());
    let options = OracleOptions::new(options, NAME).unwrap();
    let error = fluo_accumulo::OracleClient::connect(&options).await.unwrap_err();
    assert!(error.to_string().ends_with("its certificate is not for `127.0.0.1`"), "{error}");
}
