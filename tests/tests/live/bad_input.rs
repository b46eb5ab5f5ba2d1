//! Errors of a login with a wrong address, user or password: one sentence, within seconds, without
//! the password.

use accumulo_proxy::{Credentials, Error, ErrorKind, ProxyClient, ProxyOptions};

use crate::cluster::{cluster, settings};

const PASSWORD: &str = "correct-horse-battery";

/// Returns the error of `connect` for the user `user` at `address`.
async fn refused(address: &str, user: &str) -> Error {
    let settings = ProxyOptions::new(address, Credentials::password(user, PASSWORD));
    failure(settings).await
}

async fn failure(settings: ProxyOptions) -> Error {
    let address = settings.address.clone();
    let error = ProxyClient::connect(settings).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains(PASSWORD), "{shown}");
    assert!(!error.to_string().contains(char::is_control), "{shown}");
    assert_eq!(error.call(), "login");
    assert_eq!(error.address(), address);
    error
}

#[tokio::test]
async fn rejects_a_wrong_password_and_an_unknown_user() {
    let Some(cluster) = cluster() else { return };
    let address = settings(cluster).address;
    for user in [cluster.user(), "no_such_user"] {
        let error = refused(&address, user).await;
        assert_eq!(error.kind(), ErrorKind::Security, "{error}");
        assert_eq!(error.subject(), Some(user));
        assert!(error.reason().contains("BAD_CREDENTIALS"), "{error}");
    }
}

#[tokio::test]
async fn rejects_an_empty_user() {
    let Some(cluster) = cluster() else { return };
    // The proxy itself fails for an empty user.
    let error = refused(&settings(cluster).address, "").await;
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert!(error.reason().starts_with("the proxy refused the call: "), "{error}");
}

#[tokio::test]
async fn rejects_a_shared_secret_instead_of_a_login() {
    let Some(cluster) = cluster() else { return };
    let address = settings(cluster).address;
    let credentials = Credentials::shared_secret(PASSWORD);
    let connected = ProxyClient::connect(ProxyOptions::new(address, credentials)).await;
    let error = connected.unwrap_err();
    assert_ne!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(!format!("{error} {error:?}").contains(PASSWORD));
}
