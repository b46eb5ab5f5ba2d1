//! Runs the command at a terminal, and captures the screen.

use std::io::{Read, Write};
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fluo_tests::STUCK;
use pty_process::blocking::{Command, Pty, open};
use rustix::termios::{LocalModes, tcgetattr};

use super::{Place, VARIABLES, assert_says};

const PAUSE: Duration = Duration::from_millis(10);

/// A command at its own terminal.
pub(crate) struct Session {
    terminal: Arc<Pty>,
    child: Child,
    shown: Arc<Mutex<Vec<u8>>>,
    /// Ends when all output of the command is read.
    reader: JoinHandle<()>,
}

impl Place {
    /// Starts the command at a terminal. Its arguments contain no blanks.
    pub(crate) fn at_terminal(&self, arguments: &str, environment: &[(&str, &str)]) -> Session {
        self.program_at_terminal(env!("CARGO_BIN_EXE_fluo"), arguments, environment)
    }

    /// Starts any program at a terminal. Its arguments contain no blanks.
    pub(crate) fn program_at_terminal(
        &self,
        program: &str,
        arguments: &str,
        environment: &[(&str, &str)],
    ) -> Session {
        let (terminal, theirs) = open().unwrap();
        let mut command = Command::new(program)
            .args(arguments.split_whitespace())
            .current_dir(self.path("."))
            .env("TMPDIR", self.path("tmp"))
            .env("TERM", "xterm");
        for name in VARIABLES {
            command = command.env_remove(name);
        }
        // The terminal has no size.
        command = command.env("NO_COLOR", "1").env("COLUMNS", "200");
        let child = command.envs(environment.iter().copied()).spawn(theirs).unwrap();
        let terminal = Arc::new(terminal);
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (reading, keeping) = (Arc::clone(&terminal), Arc::clone(&shown));
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4_096];
            // A terminal without a process is an error.
            while let Ok(read @ 1..) = (&*reading).read(&mut buffer) {
                keeping.lock().unwrap().extend_from_slice(&buffer[..read]);
            }
        });
        Session { terminal, child, shown, reader }
    }
}

impl Session {
    /// Returns the text on the screen so far.
    pub(crate) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Waits until the screen contains a part.
    pub(crate) fn waits_for(&self, part: &str) {
        self.until(part, || self.shown().contains(part));
    }

    /// Waits until the terminal echoes input, or no longer does.
    pub(crate) fn waits_for_echo(&self, is_on: bool) {
        self.until("the echo", || self.has_echo() == is_on);
    }

    pub(crate) fn types(&self, keys: &str) {
        (&*self.terminal).write_all(keys.as_bytes()).unwrap();
    }

    /// Sends the command a signal, by its name.
    pub(crate) fn signal(&self, name: &str) {
        super::signal(self.child.id(), name);
    }

    /// Waits for the end of the command. Returns its exit code and the screen. The terminal must
    /// echo input again.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let start = Instant::now();
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            if start.elapsed() > STUCK {
                self.child.kill().unwrap();
                panic!("the command hangs: {}", self.shown());
            }
            thread::sleep(PAUSE);
        };
        assert!(self.has_echo(), "the terminal does not show what is typed");
        self.until("the end of what it says", || self.reader.is_finished());
        (code, self.shown())
    }

    fn has_echo(&self) -> bool {
        let attributes = tcgetattr(&*self.terminal).unwrap();
        let modes = attributes.local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
    }

    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            if start.elapsed() > STUCK {
                assert_says(&self.shown(), what);
                panic!("{what} does not come");
            }
            thread::sleep(PAUSE);
        }
    }
}
