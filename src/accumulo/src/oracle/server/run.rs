//! The life of an oracle: elections and terms, one after the other.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, Result};
use tokio::sync::watch;
use tokio::time::timeout;
use zookeeper_client::Client;

use super::candidate::Candidate;
use super::listener::BoundPort;
use super::predecessor::Predecessor;
use super::renewal::renew;
use super::term::Term;
use super::{horizon, lease::Moment};
use crate::oracle::backoff::Backoff;
use crate::oracle::options::OracleOptions;
use crate::oracle::session::{Sessions, application_id};

/// The time limit of the deletion of the election node.
const WITHDRAWAL: Duration = Duration::from_secs(5);

/// An oracle that runs.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) sessions: Arc<dyn Sessions>,
    pub(super) options: OracleOptions,
    pub(super) host: String,
    /// The address at which this oracle leads, or `None`.
    pub(super) leads_at: watch::Sender<Option<String>>,
    pub(super) stop: watch::Receiver<bool>,
}

impl Run {
    /// Stands for election again and again until it is stopped.
    pub(super) async fn run(mut self) {
        let mut predecessor = Predecessor::default();
        let mut backoff = Backoff::default();
        while !*self.stop.borrow() {
            let mut stop = self.stop.clone();
            match self.stand(&mut predecessor, &mut stop).await {
                Ok(Ended::Stopped) => return,
                Ok(Ended::Lost(error)) => {
                    tracing::warn!(%error, "the oracle does not lead any more");
                    backoff = Backoff::default();
                }
                Err(error) => tracing::warn!(%error, "the oracle cannot stand for election"),
            }
            tokio::select! {
                () = backoff.wait() => {}
                _ = self.stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Stands for election once, and leads if it is elected.
    async fn stand(
        &self,
        predecessor: &mut Predecessor,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Ended> {
        let begin = async {
            let session = self.sessions.session().await?;
            let id = application_id(&session, self.sessions.application()).await?;
            let port = BoundPort::bind(self.options.listen, self.options.port)?;
            let address = format!("{}:{}", self.host, port.number());
            let is_protected = self.sessions.is_protected();
            let candidate = Candidate::stand(&session, &address, is_protected).await?;
            Ok::<_, Error>((session, id, port, address, candidate))
        };
        let (session, id, port, address, candidate) = tokio::select! {
            begun = begin => begun?,
            _ = stop.wait_for(|stop| *stop) => return Ok(Ended::Stopped),
        };
        let campaign = self.campaign(&session, &candidate, id, port, &address, predecessor);
        let ended = tokio::select! {
            error = campaign => Ended::Lost(error),
            _ = stop.wait_for(|stop| *stop) => Ended::Stopped,
        };
        self.leads_at.send_replace(None);
        // The node stays until then, so that no other oracle leads while this one may answer.
        if timeout(WITHDRAWAL, candidate.withdraw()).await.is_err() {
            tracing::warn!("the election node of this oracle stays until its session ends");
        }
        Ok(ended)
    }

    /// Waits for the lead, leads, and returns the reason why it does not lead any more.
    async fn campaign(
        &self,
        session: &Client,
        candidate: &Candidate,
        id: String,
        port: BoundPort,
        address: &str,
        predecessor: &mut Predecessor,
    ) -> Error {
        match elected(session, candidate, &id, address, predecessor).await {
            Ok(term) => {
                self.lead(session, candidate, &id, port, address, term)
                    .await
            }
            Err(error) => error,
        }
    }

    async fn lead(
        &self,
        session: &Client,
        candidate: &Candidate,
        id: &str,
        port: BoundPort,
        address: &str,
        term: Term,
    ) -> Error {
        let term = EndedOnDrop(Arc::new(term));
        tracing::info!(
            "the oracle at {address} leads from timestamp {}",
            term.0.next()
        );
        self.leads_at.send_replace(Some(address.to_owned()));
        tokio::select! {
            error = port.serve(term.0.clone()) => error,
            error = renew(session, candidate, &term.0, self.sessions.application(), id) => error,
            error = horizon::maintain(session, &term.0, self.options.horizon_period) => error,
            () = term.0.wait_for_end() => super::candidate::lost(),
        }
    }
}

/// Waits until the candidate leads, and begins its term.
async fn elected(
    session: &Client,
    candidate: &Candidate,
    id: &str,
    address: &str,
    predecessor: &mut Predecessor,
) -> Result<Term> {
    candidate.wait_for_turn(predecessor).await?;
    predecessor.wait_until_it_stops(address).await;
    // The predecessor may have taken long to stop.
    let confirmed: Moment = candidate.wait_for_turn(predecessor).await?;
    predecessor.clear();
    let term = Term::begin(session, id.to_owned(), confirmed).await?;
    horizon::adopt(session, &term).await?;
    Ok(term)
}

/// The reason why a candidacy ended.
#[derive(Debug)]
enum Ended {
    Stopped,
    Lost(Error),
}

/// Ends a term when it is dropped, so that tasks which still run refuse requests.
struct EndedOnDrop(Arc<Term>);

impl Drop for EndedOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}
