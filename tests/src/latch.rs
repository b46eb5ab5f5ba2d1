//! A latch that holds tasks.

use tokio::sync::watch;

/// A latch at which tasks wait while it is closed.
#[derive(Debug, Default)]
pub struct Latch {
    is_open: watch::Sender<bool>,
    has_held: watch::Sender<bool>,
}

impl Latch {
    /// Lets all waiting tasks pass, and all later ones.
    pub fn open(&self) {
        self.is_open.send_replace(true);
    }

    /// Holds all later tasks.
    pub fn close(&self) {
        self.has_held.send_replace(false);
        self.is_open.send_replace(false);
    }

    /// Waits until the latch is open.
    pub async fn pass(&self) {
        let mut is_open = self.is_open.subscribe();
        if !*is_open.borrow() {
            self.has_held.send_replace(true);
        }
        // The sender lives as long as this latch.
        let _ = is_open.wait_for(|is_open| *is_open).await;
    }

    /// Waits until a task has waited at the latch since it was closed.
    pub async fn holds_a_task(&self) {
        let _ = self.has_held.subscribe().wait_for(|held| *held).await;
    }
}
