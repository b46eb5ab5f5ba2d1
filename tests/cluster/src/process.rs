//! A process of this machine, distinguished from a later one with the same number.
//!
//! Process numbers are reused. A process is identified by its number and its start time, both from
//! `/proc`. So an old state file never causes a signal to an unrelated process.

use std::fs;
use std::time::Duration;

use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde::{Deserialize, Serialize};

/// A process: its number and its start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Process {
    /// The start time, in clock ticks since the machine started.
    pub started_ticks: u64,
    /// The process number.
    pub pid: i32,
}

/// The relevant fields of `/proc/<pid>/stat`.
struct Stat {
    state: char,
    group: i32,
    cpu_ticks: u64,
    started_ticks: u64,
}

impl Process {
    /// Returns the running process with a number.
    #[must_use]
    pub fn of(pid: i32) -> Option<Process> {
        let started_ticks = Stat::of(pid)?.started_ticks;
        Some(Process { started_ticks, pid })
    }

    /// Returns this process, or `None` on a system without `/proc`.
    #[must_use]
    pub fn own() -> Option<Process> {
        i32::try_from(std::process::id()).ok().and_then(Process::of)
    }

    /// Checks whether the process runs. A process that has ended but was not yet reaped by its
    /// parent does not run.
    #[must_use]
    pub fn is_alive(self) -> bool {
        Process::of(self.pid) == Some(self)
    }

    /// Returns the CPU time that the process has used, or `None` if it has ended.
    #[must_use]
    pub fn cpu_time(self) -> Option<Duration> {
        let stat = Stat::of(self.pid).filter(|stat| stat.started_ticks == self.started_ticks)?;
        let millis = stat.cpu_ticks.saturating_mul(1_000);
        Some(Duration::from_millis(millis / clock_ticks_per_second()))
    }

    /// Returns the running servers of a role in the group that this process leads or led, the
    /// oldest first.
    pub(crate) fn servers(self, role: &str) -> Vec<Process> {
        let option = format!("-Dproc={role}");
        let mut servers = self.group();
        let is_role =
            |words: Vec<u8>| words.split(|byte| *byte == 0).any(|it| it == option.as_bytes());
        servers.retain(|it| fs::read(format!("/proc/{}/cmdline", it.pid)).is_ok_and(is_role));
        servers
    }

    /// Returns the running members of the process group that this process leads or led, the oldest
    /// first.
    #[must_use]
    pub fn group(self) -> Vec<Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let member = |entry: fs::DirEntry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = Stat::of(pid).filter(|stat| stat.group == self.pid)?;
            Some(Process { started_ticks: stat.started_ticks, pid })
        };
        let mut members: Vec<_> = entries.filter_map(member).collect();
        // A later group may have the same number, but no older members.
        members.retain(|member| member.started_ticks >= self.started_ticks);
        members.sort();
        members
    }

    /// Checks whether this process listens on a TCP port. Otherwise an answer from the port may
    /// come from another process.
    pub(crate) fn listens_on(self, port: u16) -> bool {
        let tables = ["tcp", "tcp6"].map(|kind| format!("/proc/{}/net/{kind}", self.pid));
        let tables = tables.iter().filter_map(|table| fs::read_to_string(table).ok());
        let sockets: Vec<_> = tables.flat_map(|it| listening_sockets(&it, port)).collect();
        let files = fs::read_dir(format!("/proc/{}/fd", self.pid));
        let files = files.into_iter().flatten().flatten();
        let mut links = files.filter_map(|file| fs::read_link(file.path()).ok());
        links.any(|link| sockets.iter().any(|it| link.as_os_str() == it.as_str()))
    }

    /// Sends a signal to the process, if it still runs.
    pub fn signal(self, signal: Signal) {
        if let Some(pid) = Pid::from_raw(self.pid).filter(|_| self.is_alive()) {
            // It may have ended meanwhile; then the signal has no effect.
            let _ = kill_process(pid, signal);
        }
    }

    /// Suspends the process, as if its machine froze, until [`resume`](Self::resume).
    pub fn suspend(self) {
        self.signal(Signal::STOP);
    }

    /// Resumes the suspended process.
    pub fn resume(self) {
        self.signal(Signal::CONT);
    }

    /// Checks whether none of its threads runs, because a signal has stopped all of them.
    pub(crate) fn is_suspended(self) -> bool {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid));
        let mut threads = threads.into_iter().flatten().flatten();
        self.is_alive()
            && threads.all(|thread| {
                let text = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
                Stat::parse(&text).is_none_or(|stat| matches!(stat.state, 'T' | 't'))
            })
    }

    /// Sends a signal to every member of the group that the process leads.
    pub fn signal_group(self, signal: Signal) {
        if let Some(pid) = Pid::from_raw(self.pid).filter(|_| !self.group().is_empty()) {
            let _ = kill_process_group(pid, signal);
        }
    }
}

impl Stat {
    /// Returns `None` for a process that has ended, also if it was not yet reaped.
    fn of(pid: i32) -> Option<Stat> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        Stat::parse(&text).filter(|stat| !matches!(stat.state, 'Z' | 'X'))
    }

    /// Parses the text. The name of the command is in parentheses and may contain parentheses
    /// itself, so the fields follow the last one.
    fn parse(text: &str) -> Option<Stat> {
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.chars().next()?;
        let group = fields.nth(1)?.parse().ok()?;
        let user: u64 = fields.nth(8)?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        Some(Stat {
            state,
            group,
            cpu_ticks: user.saturating_add(system),
            started_ticks: fields.nth(6)?.parse().ok()?,
        })
    }
}

/// Returns the sockets in a table of `/proc/net` that listen on a port, in the form of the links of
/// open files. Numbers are hexadecimal.
///
/// ```text
/// sl: address:port remote:port state queues timer retransmits user timeout inode ..
/// ```
fn listening_sockets(table: &str, port: u16) -> Vec<String> {
    const LISTENS: &str = "0A";
    let port = format!(":{port:04X}");
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows = rows.filter(|row| {
        row.get(1).is_some_and(|address| address.ends_with(&port)) && row.get(3) == Some(&LISTENS)
    });
    rows.filter_map(|row| row.get(9).map(|inode| format!("socket:[{inode}]"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_a_command_name_with_parentheses() {
        let line = "41 (a) b (c) S 1 40 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987 1 1\n";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.state, stat.group, stat.started_ticks), ('S', 40, 987));
    }

    #[test]
    fn distinguishes_processes_by_their_start() {
        let own = Process::own().unwrap();
        assert!(own.is_alive());
        let other = Process { started_ticks: own.started_ticks + 1, ..own };
        assert!(!other.is_alive());
    }

    #[test]
    fn finds_the_process_that_listens_on_a_port() {
        let own = Process::own().unwrap();
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(own.listens_on(port));
        drop(listener);
        assert!(!own.listens_on(port));
    }
}
