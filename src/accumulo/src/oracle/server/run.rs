//! The life of an oracle: elections and terms, one after the other.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result, Timestamp};
use tokio::sync::watch;
use tokio::time::timeout;
use zookeeper_client::Client;

use super::candidate::Candidate;
use super::epoch::check_epoch;
use super::horizon;
use super::listener::BoundPort;
use super::predecessor::Predecessor;
use super::renewal::renew;
use super::term::Term;
use crate::backoff::Backoff;
use crate::oracle::options::OracleOptions;
use crate::oracle::session::{Sessions, check_application};
use crate::telemetry::{self, LEADS, TERMS};
use crate::zookeeper::Moment;

/// The time limit of the deletion of the election node.
const WITHDRAWAL: Duration = Duration::from_secs(5);

/// An oracle that runs.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) sessions: Sessions,
    pub(super) options: OracleOptions,
    /// The id of the application.
    pub(super) id: String,
    pub(super) host: String,
    pub(super) state: watch::Sender<State>,
    pub(super) stop: watch::Receiver<bool>,
}

/// The state of an oracle.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// It stands for election, or pauses before it does.
    Waits,
    /// It leads at this address.
    Leads(String),
    /// It has ended by itself.
    Ended(Error),
}

/// The knowledge of an oracle of its own former terms, and of those of others.
#[derive(Debug, Default)]
struct Memory {
    predecessor: Predecessor,
    /// The first timestamp that this process has not handed out.
    floor: Timestamp,
}

impl Run {
    /// Stands for election again and again until it is stopped, or its application is removed.
    pub(super) async fn run(self) {
        let mut memory = Memory::default();
        let mut backoff = Backoff::default();
        while !*self.stop.borrow() {
            let mut stop = self.stop.clone();
            let (event, error) = match self.stand(&mut memory, &mut stop).await {
                Ok(Ended::Stopped) => return,
                Ok(Ended::Lost(error)) => {
                    backoff = Backoff::default();
                    ("the oracle does not lead any more", error)
                }
                Err(error) => ("the oracle cannot stand for election", error),
            };
            // The check below returns such an error again, unless its cause has disappeared.
            if is_final(&error) {
                tracing::debug!(%error, "{event}");
            } else {
                tracing::warn!(%error, "{event}");
            }
            let pause = async {
                backoff.wait().await;
                self.check().await.err().filter(is_final)
            };
            let end = tokio::select! {
                end = pause => end,
                _ = stop.wait_for(|stop| *stop) => return,
            };
            if let Some(error) = end {
                // A program that reports the error itself can switch this target off.
                tracing::error!(target: "fluo_accumulo::oracle::end", %error, "the oracle ends");
                self.state.send_replace(State::Ended(error));
                return;
            }
        }
    }

    /// Checks whether the application exists, with the table to which it belongs.
    async fn check(&self) -> Result<Client> {
        let session = self.sessions.session().await?;
        let application = self.sessions.application();
        check_application(&session, application, &self.id).await?;
        check_epoch(&session, application).await?;
        Ok(session)
    }

    /// Stands for election once, and leads if it is elected.
    async fn stand(&self, memory: &mut Memory, stop: &mut watch::Receiver<bool>) -> Result<Ended> {
        let begin = async {
            let session = self.check().await?;
            let port = BoundPort::bind(self.options.listen, self.options.port)?;
            let address = format!("{}:{}", self.host, port.number());
            let is_protected = self.sessions.is_protected();
            let candidate = Candidate::stand(&session, &address, is_protected).await?;
            Ok::<_, Error>((session, port, address, candidate))
        };
        let (session, port, address, mut candidate) = tokio::select! {
            begun = begin => begun?,
            _ = stop.wait_for(|stop| *stop) => return Ok(Ended::Stopped),
        };
        let ended = tokio::select! {
            error = self.campaign(&session, &mut candidate, port, &address, memory) => {
                Ended::Lost(error)
            }
            _ = stop.wait_for(|stop| *stop) => Ended::Stopped,
        };
        self.state.send_if_modified(|state| {
            let has_led = matches!(state, State::Leads(_));
            *state = State::Waits;
            has_led
        });
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
        candidate: &mut Candidate,
        port: BoundPort,
        address: &str,
        memory: &mut Memory,
    ) -> Error {
        match self.elected(session, candidate, address, memory).await {
            Ok(term) => {
                let error = self.lead(session, candidate, port, address, &term).await;
                memory.floor = term.end();
                error
            }
            Err(error) => error,
        }
    }

    /// Waits until the candidate leads, and begins its term.
    async fn elected(
        &self,
        session: &Client,
        candidate: &mut Candidate,
        address: &str,
        memory: &mut Memory,
    ) -> Result<RunningTerm> {
        candidate.wait_for_turn(&mut memory.predecessor).await?;
        memory.predecessor.wait_until_it_stops(address).await;
        // The predecessor may have taken long to stop.
        let confirmed: Moment = candidate.wait_for_turn(&mut memory.predecessor).await?;
        memory.predecessor.clear();
        check_epoch(session, self.sessions.application()).await?;
        let term = Term::begin(session, self.id.clone(), confirmed, memory.floor).await?;
        horizon::adopt(session, &term).await?;
        Ok(RunningTerm::new(term))
    }

    async fn lead(
        &self,
        session: &Client,
        candidate: &Candidate,
        port: BoundPort,
        address: &str,
        RunningTerm(term): &RunningTerm,
    ) -> Error {
        tracing::info!("the oracle at {address} leads from timestamp {}", term.next());
        self.state.send_replace(State::Leads(address.to_owned()));
        let application = self.sessions.application();
        tokio::select! {
            error = port.serve(term.clone()) => error,
            error = renew(session, candidate, term, application, &self.id) => error,
            error = horizon::maintain(session, term, self.options.horizon_period) => error,
            () = term.wait_for_end() => super::candidate::lost(),
        }
    }
}

/// Checks whether an oracle ends because of an error of its application.
fn is_final(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Invalid)
}

/// The reason why a candidacy ended.
#[derive(Debug)]
enum Ended {
    Stopped,
    Lost(Error),
}

/// A term that ends when this is dropped, so that tasks which still run refuse requests.
struct RunningTerm(Arc<Term>);

impl RunningTerm {
    fn new(term: Term) -> Self {
        telemetry::count(TERMS, 1);
        metrics::gauge!(LEADS).set(1);
        Self(Arc::new(term))
    }

    /// Ends the term, and returns the first timestamp that it has not handed out. A request in
    /// progress can still take timestamps, but gets no reply.
    fn end(self) -> Timestamp {
        self.0.end();
        self.0.next()
    }
}

impl Drop for RunningTerm {
    fn drop(&mut self) {
        metrics::gauge!(LEADS).set(0);
        self.0.end();
    }
}
