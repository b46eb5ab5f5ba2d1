//! A proxy of Accumulo 1.x takes logins, one of 2.x a shared secret. The scripted proxies here answer as live ones do.

use accumulo_proxy::{Credentials, Error, ErrorKind, ProxyClient};

use crate::fake::{Answer, Fake, PASSWORD, Request, WRONG_SECRET, thrown};
use crate::generated as wire;

const SECRET: &str = "secret-of-the-proxy";

/// Answers as a proxy of 2.x: a call that declares no exception fails inside if the secret is wrong.
fn second_generation(request: &Request) -> Answer {
    match request.call.as_str() {
        "namespaceExists" => {
            let asked: wire::NamespaceExistsRequest = request.read();
            Answer::reply(match asked.token.as_deref() == Some(SECRET.as_bytes()) {
                true => wire::NamespaceExistsReply::new(true, None, None),
                false => wire::NamespaceExistsReply::new(None, None, thrown(WRONG_SECRET)),
            })
        }
        _ => Answer::Refuse(6, "Internal error processing getTabletServers"),
    }
}

/// Answers as a proxy of 1.x to a token that no login gave.
fn first_generation(request: &Request) -> Answer {
    match request.call.as_str() {
        "namespaceExists" => Answer::Refuse(6, "Internal error processing namespaceExists"),
        _ => Answer::Refuse(1, "no such call"),
    }
}

/// Answers as a proxy of 1.10 did.
fn repeating(_: &Request) -> Answer {
    let said = "Error INVALID_INSTANCEID for user secret-of-the-proxy - Unknown security exception";
    Answer::reply(wire::NamespaceExistsReply::new(None, None, thrown(said)))
}

async fn connect(fake: &Fake, credentials: Credentials) -> Result<ProxyClient, Error> {
    let mut settings = fake.settings();
    settings.credentials = credentials;
    ProxyClient::connect(settings).await
}

/// A user set a wrong secret. Every command printed `getTabletServers at ..: the proxy refused the call: Internal error
/// processing getTabletServers`, which says nothing about a secret.
#[tokio::test]
async fn a_wrong_secret_is_named() {
    let fake = Fake::start(second_generation).await;
    fake.forget_login();
    let right = connect(&fake, Credentials::shared_secret(SECRET)).await;
    assert!(right.is_ok(), "{right:?}");
    let address = fake.address();
    let error = connect(&fake, Credentials::shared_secret("guess"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Security);
    assert!(!error.may_have_taken_effect());
    let expected = format!(
        "namespaceExists at {address}: the shared secret is not the `sharedSecret` of the proxy"
    );
    assert_eq!(error.to_string(), expected);
    let error = connect(&fake, Credentials::shared_secret("geheim-ä"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{expected}; this one has characters outside of ASCII, which the file of the proxy must hold as escapes such \
             as \\u00e4"
        )
    );
}

/// A user logged in to a proxy of Accumulo 2.x and read `it does not know it (Invalid method name: \'login\')`, with
/// backslashes and without a word about the secret.
#[tokio::test]
async fn a_login_on_a_proxy_without_logins_names_the_secret() {
    let fake = Fake::start(second_generation).await;
    fake.forget_login();
    let error = connect(&fake, Credentials::password("root", PASSWORD))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherCredentials);
    assert_eq!(
        error.to_string(),
        format!(
            "login of `root` at {}: the proxy has no logins, as those of Accumulo 2.x; it takes its shared secret in place of \
             user and password",
            fake.address()
        )
    );
}

/// Accumulo 1.10 took the secret for a user and said `Error INVALID_INSTANCEID for user <the secret>`.
#[tokio::test]
async fn a_secret_on_a_proxy_of_logins_names_user_and_password_and_is_not_repeated() {
    let all: [fn(&Request) -> Answer; 2] = [first_generation, repeating];
    for answers in all {
        let fake = Fake::start(answers).await;
        let error = connect(&fake, Credentials::shared_secret(SECRET))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherCredentials);
        assert_eq!(
            error.to_string(),
            format!(
                "namespaceExists at {}: the proxy takes user and password, as those of Accumulo 1.x, and no shared secret",
                fake.address()
            )
        );
    }
}

/// The secret may be right: nothing here says that it is not.
#[tokio::test]
async fn another_failure_of_the_proof_does_not_blame_the_secret() {
    let fake = Fake::start(first_generation).await;
    fake.forget_login();
    let error = connect(&fake, Credentials::shared_secret(SECRET))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(!error.reason().contains("secret"), "{error}");
}
