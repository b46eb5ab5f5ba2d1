//! `fluo top`.

use std::future::pending;
use std::io::{self, BufReader, IsTerminal, Read};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Result;
use clap::{Args, value_parser};
use fluo_process::monitor::{ApplicationFigures, Figures, TableFigures};
use fluo_table::Grouped;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::color::{Meaning, painted};
use crate::exit::Outcome;
use crate::layout::{self, Columns, Heading};
use crate::monitor::WatchedArguments;
use crate::output;
#[cfg(unix)]
use crate::saved_terminal::SavedTerminal;
use crate::text::{and_more, counted, tenths};

/// The alternate screen without a cursor, and the end of both.
const BEGIN: &str = "\x1b[?1049h\x1b[?25l";
const END: &str = "\x1b[?25h\x1b[?1049l";
const MAX_ALARMS: usize = 5;
const MAX_SERVERS: usize = 12;

/// Show what an operator watches at the terminal, again and again; q or Ctrl-C ends it.
///
/// These are the figures of `fluo monitor`. Without a terminal, and with --json, it prints one
/// reading; --count sets the number of readings, and it exits 1 if the last one failed in part.
/// With --json each reading is a line. Figures per second are those of the processes that --metrics
/// names, from the second reading on.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  fluo top --at prod --metrics worker-1:9464 --metrics worker-2:9464
  fluo top --at embedded:./data web")]
pub(crate) struct Top {
    #[command(flatten)]
    watched: WatchedArguments,
    /// End after this number of readings
    #[arg(long, value_name = "READINGS", value_parser = value_parser!(u64).range(1..))]
    count: Option<u64>,
}

impl Top {
    pub(crate) async fn run(self) -> Result<Outcome> {
        let mut monitor = self.watched.open().await?;
        let is_screen = io::stdout().is_terminal() && !output::is_json();
        let count = self.count.unwrap_or(if is_screen { u64::MAX } else { 1 });
        let mut screen = is_screen.then(Screen::begin).transpose()?;
        let mut is_whole = true;
        for reading in 0..count {
            if reading > 0 && screen.is_none() {
                sleep(self.watched.interval).await;
            }
            let figures = match &mut screen {
                None => monitor.read().await,
                Some(screen) => tokio::select! {
                    figures = monitor.read() => figures,
                    () = screen.is_quit() => break,
                },
            };
            is_whole = screen.is_some() || figures.errors.is_empty();
            match &mut screen {
                Some(screen) => {
                    screen.show(&frame(&figures, self.watched.interval))?;
                    if screen.is_left(self.watched.interval).await {
                        break;
                    }
                }
                None if output::is_json() => output::emit(&output::json_line(&figures)?)?,
                None => output::print(&frame(&figures, self.watched.interval))?,
            }
        }
        Ok(Outcome::of(is_whole))
    }
}

/// The screen of a terminal, which is restored when this is dropped.
struct Screen {
    /// Receives the key that ends the command; `None` if no keys are read.
    quit: Option<oneshot::Receiver<()>>,
    #[cfg(unix)]
    _keys: Option<SavedTerminal<io::Stdin>>,
}

impl Screen {
    fn begin() -> Result<Self> {
        #[cfg(unix)]
        let keys = {
            use rustix::termios::LocalModes;
            let keys = SavedTerminal::of(io::stdin());
            if let Some(terminal) = &keys {
                terminal.remove(LocalModes::ICANON | LocalModes::ECHO)?;
            }
            keys
        };
        let quit = io::stdin().is_terminal().then(|| {
            let (ask, quit) = oneshot::channel();
            // The thread ends with the process.
            std::thread::spawn(move || {
                let is_quit = |byte: &io::Result<u8>| matches!(byte, Ok(b'q' | b'Q') | Err(_));
                BufReader::new(io::stdin()).bytes().find(is_quit);
                // The command may have ended.
                let _ = ask.send(());
            });
            quit
        });
        output::write(BEGIN.as_bytes())?;
        Ok(Self {
            quit,
            #[cfg(unix)]
            _keys: keys,
        })
    }

    /// Replaces what the screen shows.
    fn show(&self, lines: &str) -> Result<()> {
        let height = terminal_size::terminal_size_of(io::stdout());
        let height = height.map_or(usize::MAX, |(_, height)| height.0.into());
        let lines = output::rendered(lines);
        // Each line ends by erasing what the one before it on the screen had.
        let lines: Vec<_> =
            lines.lines().take(height).map(|line| format!("{line}\x1b[K")).collect();
        output::write(format!("\x1b[H{}\x1b[J", lines.join("\r\n")).as_bytes())
    }

    /// Waits for the key that ends the command, for a time. Returns whether it was pressed.
    async fn is_left(&mut self, time: Duration) -> bool {
        timeout(time, self.is_quit()).await.is_ok()
    }

    /// Waits for the key that ends the command.
    async fn is_quit(&mut self) {
        match &mut self.quit {
            // An error is the end of the input.
            Some(quit) => drop(quit.await),
            None => pending().await,
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = output::write(END.as_bytes());
    }
}

/// Lays out a reading.
fn frame(figures: &Figures, interval: Duration) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(figures.time_ms);
    let time = humantime::format_rfc3339_seconds(time);
    let title = format!("{}  {time}  every {}", figures.at, humantime::format_duration(interval));
    let mut parts = vec![painted(Meaning::Title, &title)];
    let mut state = match figures.alarms.len() {
        0 => painted(Meaning::Good, "No alarms"),
        count => painted(Meaning::Bad, &counted(count, "alarm")),
    };
    for alarm in figures.alarms.iter().take(MAX_ALARMS) {
        state += &format!("\n! {}", output::shown(alarm));
    }
    if let Some(more) = and_more(figures.alarms.len(), MAX_ALARMS, "alarm") {
        state += &format!("\n  {more}; --json has all of them");
    }
    parts.push(state);
    if let Some(work) = &figures.work {
        let rate = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), tenths);
        parts.push(format!(
            "transactions/s {}  conflicts/s {}  recoveries/s {}  notifications/s {}",
            rate(work.transactions),
            rate(work.conflicts),
            rate(work.recoveries),
            rate(work.notifications)
        ));
    }
    if !figures.applications.is_empty() {
        parts.push(applications(&figures.applications));
    }
    if figures.applications.iter().any(|application| !application.queues.is_empty()) {
        parts.push(queues(&figures.applications));
    }
    if !figures.tables.is_empty() {
        parts.push(tables(&figures.tables));
    }
    parts.extend(figures.tables.iter().filter(|table| table.servers.len() > 1).map(servers));
    parts.join("\n\n")
}

fn applications(applications: &[ApplicationFigures]) -> String {
    let mut columns = Columns::new([
        Heading::Left("application"),
        Heading::Right("waiting"),
        Heading::Right("oldest"),
        Heading::Right("dead letters"),
        Heading::Right("workers"),
        Heading::Right("transactors"),
        Heading::Right("oldest active"),
        Heading::Left("oracle"),
    ]);
    for application in applications {
        let name = output::shown(&application.name);
        let Some(waiting) = &application.notifications else {
            columns.row([&*name, "?", "?", "?", "?", "?", "?", "?"].map(str::to_owned));
            continue;
        };
        let oracle = match (application.oracles.first(), application.needs_oracle) {
            (Some(leader), _) => leader,
            (None, true) => "none",
            (None, false) => "-",
        };
        let more = if waiting.is_complete { "" } else { "+" };
        columns.row([
            name,
            format!("{}{more}", Grouped(waiting.count)),
            age(waiting.oldest_seconds),
            grouped(application.dead_letters),
            grouped(application.workers.len()),
            grouped(application.transactors),
            age(application.oldest_active_seconds),
            output::shown(oracle),
        ]);
    }
    columns.lines()
}

fn queues(applications: &[ApplicationFigures]) -> String {
    let mut columns = Columns::new([
        Heading::Left("queue"),
        Heading::Right("entries"),
        Heading::Right("oldest"),
        Heading::Right("dead letters"),
        Heading::Left("accuracy"),
    ]);
    for application in applications {
        for queue in &application.queues {
            columns.row([
                output::shown(&format!("{} {}", application.name, queue.id)),
                Grouped(queue.entries).to_string(),
                age(queue.oldest_seconds),
                Grouped(queue.dead_letters).to_string(),
                queue.accuracy.clone(),
            ]);
        }
    }
    columns.lines()
}

fn tables(tables: &[TableFigures]) -> String {
    let mut columns = Columns::new([
        Heading::Left("table"),
        Heading::Right("tablets"),
        Heading::Right("entries"),
        Heading::Right("fullest"),
        Heading::Right("fullest / mean"),
        Heading::Left("differences"),
    ]);
    for table in tables {
        let differences = table.differences.as_ref().map(|found| grouped(found.len()));
        columns.row([
            output::shown(&table.name),
            grouped(table.tablets),
            Grouped(table.entries).to_string(),
            Grouped(table.fullest).to_string(),
            table.fullest_over_mean.map_or_else(|| "-".to_owned(), |skew| format!("{skew:.2}")),
            differences.unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    columns.lines()
}

fn servers(table: &TableFigures) -> String {
    let bar = |(name, server): (&String, &fluo_process::monitor::ServerFigures)| {
        ([format!("  {}", output::shown(name)), counted(server.tablets, "tablet")], server.entries)
    };
    let bars: Vec<_> = table.servers.iter().take(MAX_SERVERS).map(bar).collect();
    let mut lines = vec![format!("entries of table {} by server:", output::shown(&table.name))];
    lines.extend(layout::bars(&bars, None, layout::output_width()));
    let more = and_more(table.servers.len(), MAX_SERVERS, "server");
    lines.extend(more.map(|more| format!("  {more}")));
    lines.join("\n")
}

fn grouped(count: usize) -> String {
    Grouped::new(count).to_string()
}

/// Formats a lower bound of an age with one unit.
fn age(seconds: Option<f64>) -> String {
    let Some(seconds) = seconds else { return "-".to_owned() };
    let whole = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    match whole {
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min", whole / 60),
        3_600..172_800 => format!("{} h", whole / 3_600),
        _ => format!("{} days", Grouped(whole / 86_400)),
    }
}
