//! A shell whose commands come one after the other.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::progress::STUCK;

/// The control character that ends the output of a command.
const END: &str = "\u{1e}";

/// A running `sh`. Its variables and its programs in the background last from one command to the
/// next, and end when this is dropped.
#[derive(Debug)]
pub(crate) struct Shell {
    process: Child,
    commands: ChildStdin,
    /// The lines of the output.
    output: Receiver<Vec<u8>>,
    /// The time without a line after which a command is not awaited any more.
    patience: Duration,
}

impl Shell {
    /// Starts a shell in a folder. Programs in the folder `programs` take precedence.
    pub(crate) fn start(
        folder: &Path,
        programs: &Path,
        environment: &[(&str, &str)],
    ) -> io::Result<Self> {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            // The commands come from another descriptor, so that no program can read them. In dash,
            // `{ .. } < /dev/null` around a command would disable some redirections in it.
            .args(["-c", "exec sh /dev/fd/3 3<&0 </dev/null 2>&1"])
            .current_dir(folder)
            .env("PATH", format!("{}:{path}", programs.display()))
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        // A group of its own, to end all its programs.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn()?;
        let (Some(commands), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("the shell has no pipes"));
        };
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).count();
        });
        // Commands of the pages wait for five minutes at most.
        Ok(Self { process, commands, output: lines, patience: STUCK * 3 })
    }

    /// Runs a command and returns its output, standard error included, without blanks at the ends
    /// of lines. The output of a command that does not end says so.
    pub(crate) fn run(&mut self, command: &str) -> io::Result<String> {
        write!(self.commands, "{command}\nprintf '\\036\\n'\n")?;
        let mut printed = String::new();
        loop {
            let line = match self.output.recv_timeout(self.patience) {
                Ok(line) => line,
                // The shell has ended.
                Err(RecvTimeoutError::Disconnected) => return Ok(printed),
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.patience.as_secs();
                    return Ok(format!("{printed}(no end, and no line for {seconds} s)\n"));
                }
            };
            let line = String::from_utf8_lossy(&line);
            let (text, ends) = match line.trim_end().strip_suffix(END) {
                Some(text) => (text, true),
                None => (line.trim_end(), false),
            };
            if !ends || !text.is_empty() {
                printed.push_str(text.trim_end());
                printed.push('\n');
            }
            if ends {
                return Ok(printed);
            }
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let group = format!("-{}", self.process.id());
        // It fails only if all programs have ended.
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.process.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn keeps_variables_and_ends_programs_in_the_background() {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Shell::start(folder.path(), Path::new(""), &[("SET", "1")]).unwrap();
        assert_eq!(shell.run("sleep 600 > slept 2>&1 & slept=$!").unwrap(), "");
        let printed = shell.run("cat; printf \"$SET \"; kill -0 $slept && echo $slept").unwrap();
        assert!(printed.starts_with("1 "), "{printed}");
        assert_eq!(
            shell.run("printf 'one \\n\\ntwo'; echo three >&2").unwrap(),
            "one\n\ntwothree\n"
        );
        assert_eq!(shell.run("(echo one; echo two) > file; wc -l < file").unwrap(), "2\n");
        assert_eq!(shell.run("echo before; exit").unwrap(), "before\n");
        drop(shell);
        let slept = printed.split_whitespace().nth(1).unwrap();
        let is_running = || {
            let status = std::fs::read_to_string(format!("/proc/{slept}/status"));
            status.is_ok_and(|status| !status.contains("(zombie)"))
        };
        while is_running() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    #[test]
    fn a_command_that_does_not_end_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut shell = Shell::start(folder.path(), Path::new(""), &[]).unwrap();
        shell.patience = Duration::from_secs(1);
        let printed = shell.run("sleep 600").unwrap();
        assert_eq!(printed, "(no end, and no line for 1 s)\n");
    }
}
