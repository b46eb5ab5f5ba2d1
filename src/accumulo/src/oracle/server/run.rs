//! The life of an oracle: elections and terms, one after the other.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::coordination::zookeeper_format::HORIZON;
use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::candidate::{Candidacy, stand};
use super::epoch::check_epoch;
use super::term::Term;
use super::{horizon, listener, timeline};
use crate::backoff::Backoff;
use crate::oracle::application::ServedApplication;
use crate::oracle::options::OracleOptions;
use crate::paths::SERVERS;
use crate::telemetry::{self, LEADS, TERMS};
use crate::zookeeper::{Session, delete_own};

const WITHDRAWAL: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Run {
    pub(super) application: ServedApplication,
    pub(super) options: OracleOptions,
    pub(super) host: String,
    pub(super) state: watch::Sender<State>,
    pub(super) candidacy: watch::Sender<Candidacy>,
}

/// The address at which an oracle leads, `None` while it waits, or the reason why it has ended.
pub(super) type State = Result<Option<String>>;

/// The knowledge of an oracle of its own former terms, and of those of others.
#[derive(Debug, Default)]
struct Memory {
    predecessor: Option<String>,
    /// The first timestamp that this process has not handed out.
    floor: Timestamp,
}

impl Run {
    /// Stands for election again and again until `stop` ends, or its application is removed.
    pub(super) async fn run(self, stop: oneshot::Receiver<()>) {
        let error = tokio::select! {
            error = self.stand_again_and_again() => error,
            _ = stop => return self.withdraw().await,
        };
        // A program that reports the error itself can switch this target off.
        tracing::error!(target: "fluo_accumulo::oracle::end", %error, "the oracle ends");
        let _ = self.candidacy.send_replace(Err(error.clone()));
        let _ = self.state.send_replace(Err(error));
    }

    async fn stand_again_and_again(&self) -> Error {
        let mut memory = Memory::default();
        let mut backoff = Backoff::default();
        loop {
            let Err(error) = self.stand(&mut memory).await;
            let _ = self.candidacy.send_replace(Err(error.clone()));
            let has_led = self.state.send_if_modified(|state| {
                matches!(std::mem::replace(state, Ok(None)), Ok(Some(_)))
            });
            self.withdraw().await;
            let event = if has_led {
                backoff = Backoff::default();
                "the oracle does not lead any more"
            } else {
                "the oracle cannot stand for election"
            };
            // The check below returns such an error again, unless its cause has disappeared.
            if is_final(&error) {
                tracing::debug!(%error, "{event}");
            } else {
                tracing::warn!(%error, "{event}");
            }
            backoff.wait().await;
            if let Err(error) = self.session().await
                && is_final(&error)
            {
                return error;
            }
        }
    }

    /// Returns the current session, if this oracle may hand out timestamps.
    async fn session(&self) -> Result<Arc<Session>> {
        let session = self.application.keeper.session().await?;
        self.check(&session).await?;
        Ok(session)
    }

    /// Checks that the application exists and has no later format, and its table no later epoch.
    async fn check(&self, session: &Session) -> Result<()> {
        self.application.check(session).await?;
        check_epoch(&self.application, session).await
    }

    /// Stands for election once, leads if it is elected, and returns the reason of the end.
    async fn stand(&self, memory: &mut Memory) -> Result<Infallible> {
        let session = self.session().await?;
        let (socket, port) = listener::bind(self.options.listen, self.options.port)?;
        let address = format!("{}:{port}", self.host);
        let servers = self.application.paths.at(SERVERS);
        let own_node =
            stand(&session, &servers, &address, &mut memory.predecessor, &self.candidacy).await?;
        // Days may have passed since the first check.
        self.check(&session).await?;
        // The term ends when the lease is dropped, so that tasks which still run refuse requests.
        let (application, lease) = (self.application.clone(), own_node.lease.clone());
        let term = Term::begin(application, session.clone(), lease, memory.floor).await?;
        let term = &Arc::new(term);
        let stored = session.current_node(&self.application.paths.at(HORIZON)).await?;
        horizon::adopt(term, stored.as_ref()).await;
        let _leading = Leading::new();
        // A process that reads that this oracle leads connects at once.
        let listener = listener::listen(socket, port)?;
        tracing::info!("the oracle at {address} leads from timestamp {}", term.next().await);
        let _ = self.state.send_replace(Ok(Some(address)));
        let lost = tokio::select! {
            never = listener::serve(listener, term.clone()) => match never {},
            never = horizon::maintain(term, self.options.horizon_period) => match never {},
            never = timeline::maintain(term) => match never {},
            Err(error) = self.application.wait_for_removal(&session) => error,
            error = term.wait_for_end() => error,
        };
        // A request in progress can still take timestamps, but gets no reply.
        term.lease.end();
        memory.floor = term.next().await;
        Err(lost)
    }

    /// Deletes all election nodes of the session. They stay until then, so that no other oracle
    /// leads while this one may answer.
    async fn withdraw(&self) {
        let withdrawn = async {
            let session = self.application.keeper.session().await?;
            delete_own(&session, &self.application.paths.root, SERVERS, &[]).await
        };
        if !matches!(timeout(WITHDRAWAL, withdrawn).await, Ok(Ok(()))) {
            tracing::warn!("the election node of this oracle stays until its session ends");
        }
    }
}

/// Checks whether an oracle ends because of an error of its application.
fn is_final(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid)
}

/// The metrics of an oracle that leads until this is dropped.
struct Leading;

impl Leading {
    fn new() -> Self {
        telemetry::count(TERMS, 1);
        metrics::gauge!(LEADS).set(1);
        Self
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        metrics::gauge!(LEADS).set(0);
    }
}
