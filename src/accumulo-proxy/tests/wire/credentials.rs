//! Credentials: a proxy of Accumulo 1.x takes logins, one of 2.x a shared secret. The scripted
//! proxies answer as live ones do.

use accumulo_proxy::{Credentials, Error, ErrorKind, ProxyClient};

use crate::fake::{Answer, Fake, PASSWORD, Request, WRONG_SECRET};
use crate::interface as wire;

const SECRET: &str = "secret-of-the-proxy";

/// Answers as a proxy of 2.x does: if the secret is wrong, a call that declares no exception fails
/// internally.
fn second_generation(request: &Request) -> Answer {
    match request.call.as_str() {
        "namespaceExists" => {
            let asked: wire::NamespaceExists = request.read();
            match asked.token.as_deref() == Some(SECRET.as_bytes()) {
                true => Answer::result::<wire::NamespaceExists>(true),
                false => Answer::thrown::<wire::NamespaceExists>(ErrorKind::Security, WRONG_SECRET),
            }
        }
        _ => Answer::Refuse(6, "Internal error processing getTabletServers"),
    }
}

/// Answers as a proxy of 1.x does to a token that is not from a login.
fn first_generation(request: &Request) -> Answer {
    match request.call.as_str() {
        "namespaceExists" => Answer::Refuse(6, "Internal error processing namespaceExists"),
        _ => Answer::Refuse(1, "no such call"),
    }
}

/// Answers as a proxy of 1.10 did.
fn repeating(_: &Request) -> Answer {
    let said = "Error INVALID_INSTANCEID for user secret-of-the-proxy - Unknown security exception";
    Answer::thrown::<wire::NamespaceExists>(ErrorKind::Security, said)
}

async fn connect(fake: &Fake, credentials: Credentials) -> Result<ProxyClient, Error> {
    let settings = fake.settings().credentials(credentials);
    ProxyClient::connect(settings).await
}

/// Regression test: a user set a wrong secret. Every command printed
/// `the proxy refused the call: Internal error processing getTabletServers`, which does not mention
/// the secret.
#[tokio::test]
async fn reports_a_wrong_secret() {
    let fake = Fake::start(second_generation).await;
    fake.forget_login();
    let right = connect(&fake, Credentials::shared_secret(SECRET)).await;
    assert!(right.is_ok(), "{right:?}");
    let address = fake.address();
    let error = connect(&fake, Credentials::shared_secret("guess")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security);
    assert!(!error.may_have_taken_effect());
    let expected = format!(
        "namespaceExists at {address}: the shared secret is not the `sharedSecret` of the proxy"
    );
    assert_eq!(error.to_string(), expected);
    let error = connect(&fake, Credentials::shared_secret("geheim-ä")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{expected}; it has non-ASCII characters, which the file of the proxy must contain as \
             escapes such as \\u00e4"
        )
    );
}

/// Regression test: a user logged in to a proxy of Accumulo 2.x. The message was
/// `it does not know it (Invalid method name: \'login\')`, with backslashes and without a hint at
/// the secret.
#[tokio::test]
async fn a_login_on_a_proxy_without_logins_asks_for_the_secret() {
    let fake = Fake::start(second_generation).await;
    fake.forget_login();
    let error = connect(&fake, Credentials::password("root", PASSWORD)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherCredentials);
    assert_eq!(
        error.to_string(),
        format!(
            "login of `root` at {}: the proxy has no logins (Accumulo 2.x); it requires its shared secret \
             instead of user and password",
            fake.address()
        )
    );
}

/// Regression test: Accumulo 1.10 took the secret for a user and said
/// `Error INVALID_INSTANCEID for user <the secret>`.
#[tokio::test]
async fn a_secret_on_a_proxy_with_logins_asks_for_user_and_password() {
    let all: [fn(&Request) -> Answer; 2] = [first_generation, repeating];
    for answers in all {
        let fake = Fake::start(answers).await;
        let error = connect(&fake, Credentials::shared_secret(SECRET)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherCredentials);
        assert_eq!(
            error.to_string(),
            format!(
                "namespaceExists at {}: the proxy requires user and password (Accumulo 1.x), not a shared secret",
                fake.address()
            )
        );
    }
}

/// The secret may be right: no answer says that it is wrong.
#[tokio::test]
async fn other_failures_of_the_check_do_not_blame_the_secret() {
    let fake = Fake::start(first_generation).await;
    fake.forget_login();
    let error = connect(&fake, Credentials::shared_secret(SECRET)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(!error.reason().contains("secret"), "{error}");
}
