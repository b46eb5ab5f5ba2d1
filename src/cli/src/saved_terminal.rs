//! The attributes of a terminal, for commands that change them.

use std::io;
use std::os::fd::AsFd;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The attributes of a terminal at one time. Dropping this restores them.
#[derive(Debug)]
pub(crate) struct SavedTerminal<T: AsFd> {
    terminal: T,
    before: Termios,
}

impl<T: AsFd> SavedTerminal<T> {
    /// Saves the attributes. Returns `None` if this is no terminal.
    pub(crate) fn of(terminal: T) -> Option<Self> {
        let before = tcgetattr(&terminal).ok()?;
        Some(Self { terminal, before })
    }

    /// Removes modes until this is dropped.
    pub(crate) fn remove(&self, modes: LocalModes) -> io::Result<()> {
        let mut changed = self.before.clone();
        changed.local_modes -= modes;
        Ok(tcsetattr(&self.terminal, OptionalActions::Now, &changed)?)
    }
}

impl<T: AsFd> Drop for SavedTerminal<T> {
    fn drop(&mut self) {
        // Ignore the error of a closed terminal, which needs no restoring.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}
