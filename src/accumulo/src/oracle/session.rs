//! Sessions of ZooKeeper, rooted at the node of an application.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::zookeeper_format;
use fluo_table::{Error, ErrorKind, Result};
use tokio::sync::Mutex;
use tokio::time::timeout;
use zookeeper_client::{Client, Error as ZooKeeperError};

use crate::telemetry::{self, SESSIONS};

/// The time limit of a request to ZooKeeper.
pub(crate) const REQUEST_LIMIT: Duration = Duration::from_secs(10);
/// The user of the secret.
const USER: &str = "fluo";

/// Sessions of ZooKeeper for one application.
#[async_trait]
pub(crate) trait Sessions: fmt::Debug + Send + Sync {
    /// Returns a session whose root is the node of the application. Begins another one if the last
    /// one has ended.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) if no session can begin.
    async fn session(&self) -> Result<Client>;

    /// Checks whether new nodes are accessible only with the secret.
    fn is_protected(&self) -> bool;

    /// Returns the name of the application.
    fn application(&self) -> &str;
}

/// Sessions that this crate begins by itself.
pub(crate) struct ApplicationSessions {
    zookeepers: String,
    application: String,
    secret: Option<String>,
    session_timeout: Duration,
    current: Mutex<Option<Client>>,
}

impl ApplicationSessions {
    /// Creates sessions with the servers and the path of `zookeepers`, such as
    /// `localhost:2181/fluo`.
    pub(crate) fn new(
        zookeepers: &str,
        application: &str,
        secret: Option<&str>,
        session_timeout: Duration,
    ) -> Self {
        Self {
            zookeepers: zookeepers.trim_end_matches('/').to_owned(),
            application: application.to_owned(),
            secret: secret.map(str::to_owned),
            session_timeout,
            current: Mutex::new(None),
        }
    }

    async fn connect(&self) -> Result<Client> {
        let mut connector = Client::connector().with_session_timeout(self.session_timeout);
        if let Some(secret) = &self.secret {
            connector = connector.with_auth("digest", format!("{USER}:{secret}").as_bytes());
        }
        let place = format!("{}/{}", self.zookeepers, self.application);
        connector.connect(&place).await.map_err(|error| {
            let message = format!(
                "ZooKeeper at {} does not answer: {error}; check the address and that it runs",
                self.zookeepers
            );
            let kind = match error {
                ZooKeeperError::BadArguments(_) => ErrorKind::Invalid,
                _ => ErrorKind::Unavailable,
            };
            Error::with_source(kind, message, error)
        })
    }
}

#[async_trait]
impl Sessions for ApplicationSessions {
    async fn session(&self) -> Result<Client> {
        let mut current = self.current.lock().await;
        if let Some(client) = current.as_ref().filter(|it| !it.state().is_terminated()) {
            return Ok(client.clone());
        }
        let client = self.connect().await?;
        telemetry::count(SESSIONS, 1);
        *current = Some(client.clone());
        Ok(client)
    }

    fn is_protected(&self) -> bool {
        self.secret.is_some()
    }

    fn application(&self) -> &str {
        &self.application
    }
}

impl fmt::Debug for ApplicationSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApplicationSessions")
            .field("zookeepers", &self.zookeepers)
            .field("application", &self.application)
            .finish_non_exhaustive()
    }
}

/// Waits for a request to ZooKeeper up to [`REQUEST_LIMIT`].
pub(crate) async fn within_limit<T>(
    request: impl Future<Output = Result<T, ZooKeeperError>>,
) -> Result<T, ZooKeeperError> {
    match timeout(REQUEST_LIMIT, request).await {
        Ok(result) => result,
        Err(_) => Err(ZooKeeperError::Timeout),
    }
}

/// Reads the id of the application.
///
/// # Errors
///
/// [`NotFound`](ErrorKind::NotFound) if the application does not exist;
/// [`Corrupt`](ErrorKind::Corrupt) if its id is not text.
pub(crate) async fn application_id(session: &Client, application: &str) -> Result<String> {
    let path = zookeeper_format::ID;
    // A member of an ensemble may be late.
    let read = async {
        session.sync(path).await?;
        session.get_data(path).await
    };
    match within_limit(read).await {
        Ok((id, _)) => String::from_utf8(id).map_err(|error| {
            let message = format!("the data at `{path}` of `{application}` is not text");
            Error::with_source(ErrorKind::Corrupt, message, error)
        }),
        Err(ZooKeeperError::NoNode) => Err(Error::no_such_application(application)),
        Err(error) => Err(request_error("read the id of the application", error)),
    }
}

/// Checks whether the application with this id exists.
///
/// # Errors
///
/// [`NotFound`](ErrorKind::NotFound) if it was removed, also if another one has its name; those of
/// [`application_id`].
pub(crate) async fn check_application(session: &Client, application: &str, id: &str) -> Result<()> {
    match application_id(session, application).await? == id {
        true => Ok(()),
        false => {
            let message =
                format!("the application `{application}` was removed, and initialized again");
            Err(Error::new(ErrorKind::NotFound, message))
        }
    }
}

/// Converts the error of a request that had no effect.
pub(crate) fn request_error(task: &str, error: ZooKeeperError) -> Error {
    let kind = match error {
        ZooKeeperError::NoAuth | ZooKeeperError::AuthFailed => ErrorKind::Denied,
        ZooKeeperError::NoNode => ErrorKind::NotFound,
        _ => ErrorKind::Unavailable,
    };
    Error::with_source(kind, format!("cannot {task} in ZooKeeper: {error}"), error)
}
