//! Errors of a login with a wrong address, user or password: one sentence, within seconds, without
//! the password.

use std::io;
use std::time::Duration;

use accumulo_proxy::{Credentials, Error, ErrorKind, ProxyClient, ProxyOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::cluster::{cluster, settings};

const PASSWORD: &str = "correct-horse-battery";

/// Returns the error of `connect` for the user `user` at `address`.
async fn refused(address: &str, user: &str) -> Error {
    let settings = ProxyOptions::new(address, Credentials::password(user, PASSWORD));
    failure(settings).await
}

async fn failure(settings: ProxyOptions) -> Error {
    let address = settings.address().to_owned();
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
    let address = settings(cluster).address().to_owned();
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
    let error = refused(settings(cluster).address(), "").await;
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert!(
        error.reason().starts_with("the proxy refused the call: "),
        "{error}"
    );
}

#[tokio::test]
async fn rejects_a_shared_secret_instead_of_a_login() {
    let Some(cluster) = cluster() else { return };
    let address = settings(cluster).address().to_owned();
    let credentials = Credentials::shared_secret(PASSWORD);
    let connected = ProxyClient::connect(ProxyOptions::new(address, credentials)).await;
    let error = connected.unwrap_err();
    assert_ne!(error.kind(), ErrorKind::TimedOut, "{error}");
    assert!(!format!("{error} {error:?}").contains(PASSWORD));
}

/// Starts a server of another kind, which runs `serve` for each connection. Returns its address.
async fn server<S>(serve: impl Fn(TcpStream) -> S + Send + 'static) -> String
where
    S: Future<Output = io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

#[tokio::test]
async fn names_an_http_server() {
    let address = server(|mut stream| async move {
        let mut some = [0; 16];
        stream.read_exact(&mut some).await?;
        stream
            .write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
            .await?;
        stream.read_to_end(&mut Vec::new()).await.map(drop)
    })
    .await;
    let error = refused(&address, "root").await;
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert_eq!(
        error.to_string(),
        format!(
            "login of `root` at {address}: an HTTP server answers there, not an Accumulo proxy"
        )
    );
}

#[tokio::test]
async fn times_out_if_the_server_never_answers() {
    let address =
        server(|mut stream| async move { stream.read_to_end(&mut Vec::new()).await.map(drop) })
            .await;
    let mut settings = ProxyOptions::new(&address, Credentials::password("root", PASSWORD));
    settings = settings.connect_timeout(Duration::from_secs(1));
    let error = failure(settings).await;
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert_eq!(error.reason(), "no answer within 1s");
}

#[tokio::test]
async fn reports_a_refused_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = refused(&address, "root").await;
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(
        error.reason().starts_with("cannot reach the proxy: ")
            && error.reason().contains("refused"),
        "{error}"
    );
}

#[tokio::test]
async fn reports_an_unknown_host() {
    let error = refused("no-such-host.invalid:42424", "root").await;
    assert!(
        matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::TimedOut),
        "{error}"
    );
}

#[tokio::test]
async fn rejects_an_address_without_a_port() {
    let error = refused("localhost", "root").await;
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.reason(),
        "the address `localhost` is not of the form `host:port`"
    );
}
