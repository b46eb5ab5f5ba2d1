//! The page of a monitor, and its data.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use fluo_table::Result;
use hyper::StatusCode;
use serde::Serialize;
use serde_json::to_string;
use tokio::task::AbortHandle;

use super::board::Board;
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
/// | `/figures` | the last [`Figures`](super::Figures) as JSON, with `format` 1 |
/// | `/history` | the [`History`](super::History) as JSON, with `format` 1 |
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
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if the port is taken.
    pub async fn open(address: SocketAddr, monitor: Monitor, pause: Duration) -> Result<Self> {
        let board = Arc::<Board>::default();
        let http = HttpServer::start(address, Arc::new(MonitorSite(board.clone()))).await?;
        let keep = async move { board.keep(monitor, pause).await };
        Ok(Self { http, task: tokio::spawn(keep).abort_handle() })
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
            "/metrics" => Some(Answer::text(self.0.metrics())),
            "/live" => Some(Answer::text("live\n")),
            _ => monitor_answer(&self.0, visit),
        }
    }
}

/// Returns the answer at a path of the page.
pub(crate) fn monitor_answer(board: &Board, visit: &Visit<'_>) -> Option<Answer> {
    #[derive(Serialize)]
    struct Formatted<T> {
        format: u32,
        #[serde(flatten)]
        data: T,
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
        "/figures" => json(board.with(|data, _| to_string(&Formatted { format: FORMAT, data }))),
        "/history" => json(board.with(|_, data| to_string(&Formatted { format: FORMAT, data }))),
        _ => return None,
    };
    Some(match visit.is_of_another_name {
        false => found,
        true => {
            let text = "name this machine by its address, or localhost\n";
            Answer { status: StatusCode::FORBIDDEN, ..Answer::text(text) }
        }
    })
}
