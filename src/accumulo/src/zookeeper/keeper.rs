//! The session of a process with ZooKeeper, which is replaced when it has ended.

use std::sync::Arc;

use fluo_table::Result;
use tokio::sync::Mutex;

use super::session::{Session, SessionOptions};

/// The current session of this process.
#[derive(Debug)]
pub(crate) struct Keeper {
    options: SessionOptions,
    current: Mutex<Arc<Session>>,
}

impl Keeper {
    /// Connects to ZooKeeper.
    pub(crate) async fn connect(options: SessionOptions) -> Result<Self> {
        let current = Mutex::new(Arc::new(Session::open(&options).await?));
        Ok(Self { options, current })
    }

    /// Checks whether new nodes are accessible only with a secret.
    pub(crate) fn is_protected(&self) -> bool {
        self.options.access.is_protected()
    }

    /// Returns the current session, or a new one if it has ended.
    pub(crate) async fn session(&self) -> Result<Arc<Session>> {
        let mut current = self.current.lock().await;
        if current.has_ended() {
            *current = Arc::new(Session::open(&self.options).await?);
        }
        Ok(current.clone())
    }
}
