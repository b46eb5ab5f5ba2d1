//! The page of a monitor, and its data.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Result, check_option};
use hyper::StatusCode;
use serde::Serialize;
use serde_json::to_string;
use tokio::task::AbortHandle;

use super::board::{Board, History};
use super::figures::Figures;
use super::reader::Monitor;
use crate::http::{Answer, HttpServer, Site, Visit};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The format of `/figures` and `/history`.
const FORMAT: u32 = 1;

/// A port with the page of a monitor, until this is dropped.
///
/// | path | answer |
/// |---|---|
/// | `/` | the page, with `/monitor.css` and `/monitor.js` |
/// | `/figures` | the last [`Figures`] as JSON, with `format` 1, the `age_seconds` of the reading and the `pause_seconds`; 503 before the first one |
/// | `/history` | the [`History`] as JSON, with `format` 1 |
/// | `/metrics` | the [figures](super::METRICS) as text for Prometheus |
/// | `/live` | 200 while the process can answer |
///
/// The port only reads. It has no encryption and no login: keep it on a private network.
#[derive(Debug)]
pub struct MonitorPort {
    http: HttpServer,
    task: AbortHandle,
}

struct MonitorSite(Arc<Board>);

impl MonitorPort {
    /// Opens the port; with port 0 the system chooses one. Reads at once, and after each pause.
    ///
    /// # Errors
    ///
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) for a pause of 0;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if the port is taken.
    pub async fn open(address: SocketAddr, monitor: Monitor, pause: Duration) -> Result<Self> {
        check_option("pause", pause, Duration::from_millis(1)..)?;
        let board = Arc::new(Board::new(pause));
        let http = HttpServer::start(address, Arc::new(MonitorSite(board.clone()))).await?;
        let run = async move { board.run(monitor).await };
        Ok(Self { http, task: tokio::spawn(run).abort_handle() })
    }

    /// Returns the address of the port.
    pub fn address(&self) -> SocketAddr {
        self.http.address()
    }
}

impl Drop for MonitorPort {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Site for MonitorSite {
    fn paths(&self) -> &'static str {
        "/, /figures, /history, /metrics and /live"
    }

    fn answer(&self, visit: &Visit<'_>) -> Option<Answer> {
        match visit.path {
            "/metrics" if visit.has_foreign_host => Some(foreign_host()),
            "/metrics" => Some(Answer::text(self.0.metrics())),
            "/live" => Some(Answer::text("live\n")),
            _ => monitor_answer(&self.0, visit),
        }
    }
}

fn foreign_host() -> Answer {
    let text =
        "the host of the request is another name; open the page at an address, or localhost\n";
    Answer { status: StatusCode::FORBIDDEN, ..Answer::text(text) }
}

/// Returns the answer at a path of the page.
pub(crate) fn monitor_answer(board: &Board, visit: &Visit<'_>) -> Option<Answer> {
    #[derive(Serialize)]
    struct Last<'a> {
        format: u32,
        age_seconds: f64,
        pause_seconds: f64,
        #[serde(flatten)]
        figures: &'a Figures,
    }
    #[derive(Serialize)]
    struct All<'a> {
        format: u32,
        #[serde(flatten)]
        history: &'a History,
    }
    let answer = |content, body| Answer { status: StatusCode::OK, content, body };
    let json = |written: serde_json::Result<String>| match written {
        Ok(body) => answer("application/json", body),
        Err(error) => Answer::unavailable(format!("{error}\n")),
    };
    let found = match visit.path {
        "/" => answer("text/html; charset=utf-8", PAGE.to_owned()),
        "/monitor.css" => answer("text/css; charset=utf-8", STYLE.to_owned()),
        "/monitor.js" => answer("text/javascript; charset=utf-8", SCRIPT.to_owned()),
        "/figures" => board.with(|last, _| match last {
            None => Answer::unavailable("the first reading has not ended\n".to_owned()),
            Some(last) => json(to_string(&Last {
                format: FORMAT,
                age_seconds: last.age().as_secs_f64(),
                pause_seconds: board.pause().as_secs_f64(),
                figures: &last.figures,
            })),
        }),
        "/history" => json(board.with(|_, history| to_string(&All { format: FORMAT, history }))),
        _ => return None,
    };
    Some(if visit.has_foreign_host { foreign_host() } else { found })
}
