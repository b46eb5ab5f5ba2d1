//! The handle of a running oracle: [`Oracle`].

use fluo_table::{Error, Result};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::candidate::Candidacy;
use super::epoch::check_epoch;
use super::run::{Run, State};
use crate::oracle::application::ServedApplication;
use crate::oracle::options::OracleOptions;

/// A timestamp oracle of an application. Of all oracles of an application one leads; the others
/// take over if it stops or crashes. Oracles of Fluo in Java and these take over from each other.
///
/// It serves clients of Fluo in Java and of this crate. It continues after ZooKeeper was away for a
/// moment, and stands for election again if it has lost the lead. It ends if its application is
/// removed. Dropping the handle stops the oracle in the background; [`stop`](Oracle::stop) waits
/// until another one can lead.
///
/// # Examples
///
/// ```no_run
/// use fluo_accumulo::{Oracle, OracleOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo_table::Result<()> {
/// let options = OracleOptions::new("localhost:2181/fluo", "web")?.port(9913);
/// let mut oracle = Oracle::start(options).await?;
/// println!("leads at {}", oracle.wait_for_lead().await?);
/// tokio::signal::ctrl_c().await.ok();
/// oracle.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Oracle {
    state: watch::Receiver<State>,
    candidacy: watch::Receiver<Candidacy>,
    /// The oracle stops when this is dropped.
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Oracle {
    /// Starts an oracle, which stands for election in a task of the present runtime.
    ///
    /// # Errors
    ///
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the application does not exist;
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the host cannot be reached by clients, or if
    /// the table was opened with another copy of the coordination since;
    /// [`Denied`](fluo_table::ErrorKind::Denied) if the secret is missing or wrong;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if ZooKeeper does not answer.
    pub async fn start(options: OracleOptions) -> Result<Self> {
        let host = options.own_host()?;
        let application = ServedApplication::connect(&options).await?;
        check_epoch(&application, &*application.keeper.session().await?).await?;
        let (stop, stopped) = oneshot::channel();
        let starting = Error::unavailable("the oracle does not stand for election yet");
        let candidacy = watch::Sender::new(Err(starting));
        let state = watch::Sender::new(Ok(None));
        let run = Run { application, options, host, state, candidacy };
        let (state, candidacy) = (run.state.subscribe(), run.candidacy.subscribe());
        Ok(Self { state, candidacy, stop, task: tokio::spawn(run.run(stopped)) })
    }

    /// Returns the address at which this oracle leads, or `None` if it does not lead.
    pub fn leads_at(&self) -> Option<String> {
        self.state.borrow().clone().ok().flatten()
    }

    /// Returns a view of this oracle that outlives it.
    pub fn monitor(&self) -> OracleMonitor {
        OracleMonitor(self.candidacy.clone())
    }

    /// Waits until this oracle leads, and returns its address.
    ///
    /// # Errors
    ///
    /// As [`wait_for_change`](Self::wait_for_change).
    pub async fn wait_for_lead(&mut self) -> Result<String> {
        let state = self.state.wait_for(|state| !matches!(state, Ok(None))).await;
        state.map_err(|_| ended())?.clone()?.ok_or_else(ended)
    }

    /// Waits until this oracle leads at another address than at the last call, or no longer leads.
    /// Returns what [`leads_at`](Self::leads_at) returns then.
    ///
    /// # Errors
    ///
    /// The reason why the oracle has ended: [`NotFound`](fluo_table::ErrorKind::NotFound) if its
    /// application was removed; [`Invalid`](fluo_table::ErrorKind::Invalid) if the table was opened
    /// with another copy of the coordination since;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if its runtime has ended.
    pub async fn wait_for_change(&mut self) -> Result<Option<String>> {
        let changed = self.state.changed().await;
        let leads_at = self.state.borrow_and_update().clone()?;
        changed.map_err(|_| ended()).map(|()| leads_at)
    }

    /// Stops the oracle: closes all connections, and gives the lead to another oracle at once.
    pub async fn stop(self) {
        drop(self.stop);
        // An error states that the task was aborted with its runtime.
        let _ = self.task.await;
    }
}

/// A view of an oracle that outlives it, from [`Oracle::monitor`]: for the readiness check of a
/// process. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct OracleMonitor(watch::Receiver<Candidacy>);

impl OracleMonitor {
    /// Checks that the oracle takes part in the election: it leads or stands by. This call asks no
    /// server.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) while the oracle has no election node
    /// or was stopped; the error of the last attempt if that failed, or the reason why the oracle
    /// has ended.
    pub fn check(&self) -> Result<()> {
        self.0.borrow().clone()?;
        self.0.has_changed().map(drop).map_err(|_| ended())
    }
}

fn ended() -> Error {
    Error::unavailable("the oracle has ended")
}
