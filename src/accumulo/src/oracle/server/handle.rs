//! The handle of a running oracle: [`Oracle`].

use std::sync::Arc;

use fluo_table::{Error, ErrorKind, Result};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::run::Run;
use crate::oracle::options::OracleOptions;
use crate::oracle::session::{ApplicationSessions, Sessions, application_id};

/// A timestamp oracle of an application. Of all oracles of an application one leads; the others
/// take over if it stops or crashes. Oracles of Fluo in Java and these take over from each other.
///
/// It serves clients of Fluo in Java and of this crate. It continues after ZooKeeper was away for a
/// moment, and stands for election again if it has lost the lead. Dropping the handle stops the
/// oracle in the background; [`stop`](Oracle::stop) waits until another one can lead.
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
    leads_at: watch::Receiver<Option<String>>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Oracle {
    /// Starts an oracle, which stands for election in a task of the present runtime.
    ///
    /// # Errors
    ///
    /// [`NotFound`](ErrorKind::NotFound) if the application does not exist;
    /// [`Invalid`](ErrorKind::Invalid) if the host cannot be reached by clients;
    /// [`Denied`](ErrorKind::Denied) if the secret is missing or wrong;
    /// [`Unavailable`](ErrorKind::Unavailable) if ZooKeeper does not answer.
    pub async fn start(options: OracleOptions) -> Result<Self> {
        let sessions = ApplicationSessions::new(
            &options.zookeepers,
            &options.application,
            options.secret.as_deref(),
            options.session_timeout,
        );
        Self::start_with(Arc::new(sessions), options).await
    }

    /// Starts an oracle on sessions of the caller.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub(crate) async fn start_with(
        sessions: Arc<dyn Sessions>,
        options: OracleOptions,
    ) -> Result<Self> {
        let host = options.own_host()?;
        let session = sessions.session().await?;
        application_id(&session, sessions.application()).await?;
        let (leads_at, is_leading) = watch::channel(None);
        let (stop, stopped) = watch::channel(false);
        let run = Run {
            sessions,
            options,
            host,
            leads_at,
            stop: stopped,
        };
        Ok(Self {
            leads_at: is_leading,
            stop,
            task: tokio::spawn(run.run()),
        })
    }

    /// Returns the address at which this oracle leads, or `None` if it does not lead.
    pub fn leads_at(&self) -> Option<String> {
        self.leads_at.borrow().clone()
    }

    /// Waits until this oracle leads, and returns its address.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) if the oracle has ended, with its runtime.
    pub async fn wait_for_lead(&mut self) -> Result<String> {
        let led = self.leads_at.wait_for(Option::is_some).await;
        let address = led.ok().and_then(|address| address.clone());
        address.ok_or_else(|| Error::new(ErrorKind::Unavailable, "the oracle has ended"))
    }

    /// Waits until this oracle leads at another address than at the last call, or no longer leads.
    /// Returns what [`leads_at`](Self::leads_at) returns then.
    ///
    /// # Errors
    ///
    /// [`Unavailable`](ErrorKind::Unavailable) if the oracle has ended, with its runtime.
    pub async fn wait_for_change(&mut self) -> Result<Option<String>> {
        let changed = self.leads_at.changed().await;
        let ended = |_| Error::new(ErrorKind::Unavailable, "the oracle has ended");
        changed.map_err(ended)?;
        Ok(self.leads_at.borrow_and_update().clone())
    }

    /// Stops the oracle: closes all connections, and gives the lead to another oracle at once.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        // An error states that the task was aborted with its runtime.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}
