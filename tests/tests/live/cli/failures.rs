//! Failures are reported in one sentence, without long waits, and without the password.

use std::time::{Duration, Instant};

use super::{Fluo, assert_says, fluo};

const PASSWORD: &str = "correct-horse-battery";

/// Time limit of commands that fail without a wait, or after the limit of a connection (10 s), or
/// after retries of a refused connection (7 s). It is far below the limits of waits and of retries
/// of transactions, and no busy machine exceeds it.
const LIMIT: Duration = Duration::from_secs(100);

/// Returns the error of a command that must fail soon.
pub(super) fn failure(fluo: &Fluo, arguments: &str) -> String {
    // The first caller builds the command, which takes longer.
    super::binary();
    let start = Instant::now();
    let message = fluo.run(arguments).fails();
    assert!(start.elapsed() < LIMIT, "{:?}: {message}", start.elapsed());
    message
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_wrong_password() {
    let Some(cluster) = crate::cluster::cluster() else {
        return;
    };
    let fluo = Fluo::new(
        &cluster.proxy().unwrap().address(),
        cluster.user(),
        PASSWORD,
    );
    let message = failure(&fluo, "list");
    assert_says(&message, "root");
    assert_says(&message, "BAD_CREDENTIALS");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_a_missing_table() {
    let Some(fluo) = fluo() else { return };
    fluo.spec(&["p"], 2);
    fluo.file("m.toml", super::designs::AFTER);
    for arguments in [
        "show nope",
        "delete --yes nope",
        "load nope --prefix p s.toml",
        "plan --spec s.toml nope",
        "apply --spec s.toml nope",
        "verify --spec s.toml nope",
        "watch --spec s.toml nope",
        "migrate --spec m.toml nope",
    ] {
        assert_eq!(
            failure(&fluo, arguments),
            "there is no table `nope`",
            "{arguments}"
        );
    }
}
