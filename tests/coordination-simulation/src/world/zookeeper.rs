//! Sessions of the simulated ZooKeeper, with the interface of `zookeeper_client`.
//!
//! Requests of a session arrive in their order, and so do answers and events, each after a delay. A
//! connection may break before or after the effect of a request. A session whose process is frozen
//! or cut off ends at the server after its timeout, or some time later, and its client learns it
//! when it is back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};
pub(crate) use zookeeper_client::{
    Acls, Error, MultiWriteError, MultiWriteResult, SessionState, Stat,
};

use super::process::{draw, losses, pass, process_of, state_of};
use super::tree::{Event, Tree, TreeChange};

/// Number of pings within a session timeout.
const PINGS: u32 = 3;

/// All that the servers know.
#[derive(Default)]
struct Servers {
    tree: Tree,
    sessions: BTreeMap<i64, ServedSession>,
}

thread_local! {
    static SERVERS: RefCell<Servers> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Servers) -> T) -> T {
    SERVERS.with_borrow_mut(work)
}

pub(super) fn begin() {
    drop(SERVERS.take());
}

pub(super) fn with_tree<T>(work: impl FnOnce(&mut Tree) -> T) -> T {
    with(|servers| work(&mut servers.tree))
}

/// Shows the clients of a process whether they are connected.
pub(super) fn show_connection(process: u32, is_connected: bool) {
    let shown = match is_connected {
        true => SessionState::SyncConnected,
        false => SessionState::Disconnected,
    };
    with(|servers| {
        let sessions = servers.sessions.values().filter(|session| session.process == process);
        for session in sessions.filter(|session| !session.state.borrow().is_terminated()) {
            session.state.send_replace(shown);
        }
    });
}

/// A session at the servers.
struct ServedSession {
    process: u32,
    is_ended: bool,
    state: watch::Sender<SessionState>,
    heard: Instant,
    watches: Vec<Watch>,
    deliveries: mpsc::UnboundedSender<Delivery>,
}

type Delivery = Box<dyn FnOnce() + Send>;

struct Watch {
    path: String,
    is_of_children: bool,
    event: oneshot::Sender<()>,
}

/// A session of a process. The last clone that is dropped closes it.
#[derive(Clone)]
pub(crate) struct Client(Arc<Shared>);

struct Shared {
    session: i64,
    timeout: Duration,
    requests: mpsc::UnboundedSender<(Request, Answers)>,
    state: watch::Receiver<SessionState>,
}

#[derive(Clone, Debug)]
enum Request {
    Stat { path: String, watches: bool },
    Data { path: String, watches: bool },
    Children { path: String, watches: bool },
    Change(Vec<TreeChange>),
    Sync,
}

enum Answer {
    Stat(Option<Stat>),
    Data(Vec<u8>, Stat),
    Children(Vec<String>),
    Change(Result<Vec<MultiWriteResult>, (usize, Error)>),
    Sync,
}

type Answers = oneshot::Sender<Result<(Answer, OneshotWatcher), Error>>;

pub(crate) struct SessionId(pub(crate) i64);

#[derive(Debug)]
pub(crate) struct OneshotWatcher(oneshot::Receiver<()>);

#[derive(Debug)]
pub(crate) struct StateWatcher;

impl OneshotWatcher {
    /// Waits for the event, or the end of the session.
    pub(crate) async fn changed(self) {
        let _ = self.0.await;
    }
}

#[derive(Default)]
pub(crate) struct Connector {
    timeout: Duration,
}

impl Connector {
    pub(crate) fn with_session_timeout(self, timeout: Duration) -> Self {
        Self { timeout }
    }

    pub(crate) fn with_fail_eagerly(self) -> Self {
        self
    }

    pub(crate) fn with_auth(self, _: &str, _: &[u8]) -> Self {
        self
    }

    pub(crate) async fn connect(self, address: &str) -> Result<Client, Error> {
        let process = process_of(address);
        pass(process).await.map_err(|_| Error::NoHosts)?;
        if state_of(process).is_cut {
            return Err(Error::NoHosts);
        }
        let (requests, arriving) = mpsc::unbounded_channel();
        let (deliveries, delivered) = mpsc::unbounded_channel::<Delivery>();
        let state = watch::Sender::new(SessionState::SyncConnected);
        let watched = state.subscribe();
        let heard = Instant::now();
        let served = ServedSession {
            process,
            is_ended: false,
            state,
            heard,
            watches: Vec::new(),
            deliveries,
        };
        let session = with(|state| {
            let session = i64::try_from(state.sessions.len()).unwrap_or_default() + 1;
            state.sessions.insert(session, served);
            session
        });
        tokio::spawn(serve(session, process, arriving));
        tokio::spawn(deliver(process, delivered));
        tokio::spawn(expire(session, process, self.timeout));
        let timeout = self.timeout;
        Ok(Client(Arc::new(Shared { session, timeout, requests, state: watched })))
    }
}

impl Client {
    pub(crate) fn connector() -> Connector {
        Connector::default()
    }

    pub(crate) fn state(&self) -> SessionState {
        *self.0.state.borrow()
    }

    pub(crate) fn state_watcher(&self) -> StateWatcher {
        StateWatcher
    }

    pub(crate) fn session_id(&self) -> SessionId {
        SessionId(self.0.session)
    }

    pub(crate) fn session_timeout(&self) -> Duration {
        self.0.timeout
    }

    pub(crate) async fn check_stat(&self, path: &str) -> Result<Option<Stat>, Error> {
        self.stat(path, false).await.map(|(stat, _)| stat)
    }

    pub(crate) async fn check_and_watch_stat(
        &self,
        path: &str,
    ) -> Result<(Option<Stat>, OneshotWatcher), Error> {
        self.stat(path, true).await
    }

    pub(crate) async fn get_data(&self, path: &str) -> Result<(Vec<u8>, Stat), Error> {
        self.data(path, false).await.map(|(data, stat, _)| (data, stat))
    }

    pub(crate) async fn get_and_watch_data(
        &self,
        path: &str,
    ) -> Result<(Vec<u8>, Stat, OneshotWatcher), Error> {
        self.data(path, true).await
    }

    pub(crate) async fn list_children(&self, path: &str) -> Result<Vec<String>, Error> {
        self.children(path, false).await.map(|(names, _)| names)
    }

    pub(crate) async fn list_and_watch_children(
        &self,
        path: &str,
    ) -> Result<(Vec<String>, OneshotWatcher), Error> {
        self.children(path, true).await
    }

    async fn stat(
        &self,
        path: &str,
        watches: bool,
    ) -> Result<(Option<Stat>, OneshotWatcher), Error> {
        match self.ask(Request::Stat { path: path.to_owned(), watches }).await? {
            (Answer::Stat(stat), watcher) => Ok((stat, watcher)),
            _ => unreachable!("the answer belongs to the request"),
        }
    }

    async fn data(
        &self,
        path: &str,
        watches: bool,
    ) -> Result<(Vec<u8>, Stat, OneshotWatcher), Error> {
        match self.ask(Request::Data { path: path.to_owned(), watches }).await? {
            (Answer::Data(data, stat), watcher) => Ok((data, stat, watcher)),
            _ => unreachable!("the answer belongs to the request"),
        }
    }

    async fn children(
        &self,
        path: &str,
        watches: bool,
    ) -> Result<(Vec<String>, OneshotWatcher), Error> {
        match self.ask(Request::Children { path: path.to_owned(), watches }).await? {
            (Answer::Children(names), watcher) => Ok((names, watcher)),
            _ => unreachable!("the answer belongs to the request"),
        }
    }

    pub(crate) async fn sync(&self, _: &str) -> Result<(), Error> {
        self.ask(Request::Sync).await.map(drop)
    }

    /// Deletes a node. The request is sent before this returns.
    pub(crate) fn delete(
        &self,
        path: &str,
        version: Option<i32>,
    ) -> impl Future<Output = Result<(), Error>> + Send + use<> {
        let delete = TreeChange::Delete { path: path.to_owned(), version };
        let answer = self.send(Request::Change(vec![delete]));
        async move { changed(answer).await.map(drop).map_err(Error::from) }
    }

    pub(crate) fn new_multi_writer(&self) -> MultiWriter<'_> {
        MultiWriter { client: self, changes: Vec::new() }
    }

    async fn ask(&self, request: Request) -> Result<(Answer, OneshotWatcher), Error> {
        match self.send(request).await.unwrap_or(Err(Error::ClientClosed))? {
            (Answer::Change(Err((_, error))), _) => Err(error),
            answer => Ok(answer),
        }
    }

    fn send(&self, request: Request) -> oneshot::Receiver<Result<(Answer, OneshotWatcher), Error>> {
        let (sender, answer) = oneshot::channel();
        let _ = self.0.requests.send((request, sender));
        answer
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Client").field(&self.0.session).finish()
    }
}

async fn changed(
    answer: oneshot::Receiver<Result<(Answer, OneshotWatcher), Error>>,
) -> Result<Vec<MultiWriteResult>, MultiWriteError> {
    match answer.await.unwrap_or(Err(Error::ClientClosed))?.0 {
        Answer::Change(Ok(results)) => Ok(results),
        Answer::Change(Err((index, source))) => {
            Err(MultiWriteError::OperationFailed { index, source })
        }
        _ => unreachable!("the answer belongs to the request"),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CreateMode {
    Persistent,
    Ephemeral,
    EphemeralSequential,
}

impl CreateMode {
    pub(crate) fn with_acls(self, _: Acls<'_>) -> Self {
        self
    }
}

pub(crate) struct MultiWriter<'a> {
    client: &'a Client,
    changes: Vec<TreeChange>,
}

impl<'a> MultiWriter<'a> {
    pub(crate) fn add_check_version(&mut self, path: &str, version: i32) -> Result<(), Error> {
        self.changes.push(TreeChange::Check { path: path.to_owned(), version });
        Ok(())
    }

    pub(crate) fn add_create(
        &mut self,
        path: &str,
        data: &[u8],
        mode: &CreateMode,
    ) -> Result<(), Error> {
        let owner = if *mode == CreateMode::Persistent { 0 } else { self.client.0.session };
        self.changes.push(TreeChange::Create {
            path: path.to_owned(),
            data: data.to_owned(),
            owner,
            is_numbered: *mode == CreateMode::EphemeralSequential,
        });
        Ok(())
    }

    pub(crate) fn add_set_data(
        &mut self,
        path: &str,
        data: &[u8],
        version: Option<i32>,
    ) -> Result<(), Error> {
        let (path, data) = (path.to_owned(), data.to_owned());
        self.changes.push(TreeChange::Set { path, data, version });
        Ok(())
    }

    pub(crate) fn add_delete(&mut self, path: &str, version: Option<i32>) -> Result<(), Error> {
        self.changes.push(TreeChange::Delete { path: path.to_owned(), version });
        Ok(())
    }

    /// Commits. The request is sent before this returns.
    pub(crate) fn commit(
        self,
    ) -> impl Future<Output = Result<Vec<MultiWriteResult>, MultiWriteError>> + Send + use<'a> {
        changed(self.client.send(Request::Change(self.changes)))
    }
}

/// Serves the requests of a session until its client is dropped.
async fn serve(
    session: i64,
    process: u32,
    mut requests: mpsc::UnboundedReceiver<(Request, Answers)>,
) {
    while let Some((request, answers)) = requests.recv().await {
        if pass(process).await.is_err() {
            return;
        }
        let share = losses();
        let loss = match draw(fastrand::Rng::f64) {
            dice if dice < share / 2.0 => Some(false),
            dice if dice < share => Some(true),
            _ => None,
        };
        let has_ended = with(|state| state.sessions[&session].is_ended);
        let answer = if has_ended {
            Err(Error::SessionExpired)
        } else if state_of(process).is_cut || loss == Some(false) {
            Err(Error::ConnectionLoss)
        } else {
            with(|state| state.sessions.get_mut(&session).unwrap().heard = Instant::now());
            let answer = answer(session, request);
            if loss.is_some() { Err(Error::ConnectionLoss) } else { Ok(answer) }
        };
        send(session, Box::new(move || drop(answers.send(answer))));
    }
    // Otherwise it ends by its timeout.
    if pass(process).await.is_ok() && !state_of(process).is_cut {
        end(session);
    }
}

/// Hands answers and events to the client, in their order.
async fn deliver(process: u32, mut deliveries: mpsc::UnboundedReceiver<Delivery>) {
    while let Some(delivery) = deliveries.recv().await {
        if pass(process).await.is_err() {
            return;
        }
        delivery();
    }
}

/// Ends the session once its client was silent for the timeout.
async fn expire(session: i64, process: u32, timeout: Duration) {
    // Some sessions end late.
    let extra = timeout.mul_f64(draw(|random| random.f64() * f64::from(random.u8(..2))));
    loop {
        sleep(timeout / PINGS).await;
        let state = state_of(process);
        let is_silent = state.is_dead || state.is_frozen || state.is_cut;
        let has_expired = with(|state| {
            let served = state.sessions.get_mut(&session).unwrap();
            if !is_silent {
                served.heard = Instant::now();
            }
            (served.heard.elapsed() >= timeout + extra, served.is_ended)
        });
        match has_expired {
            (_, true) => break,
            (true, false) => {
                end(session);
                break;
            }
            (false, false) => {}
        }
    }
    // The client learns it as soon as it is back.
    while state_of(process).is_frozen || state_of(process).is_cut {
        sleep(timeout / PINGS).await;
    }
    let watches = with(|state| {
        let served = state.sessions.get_mut(&session).unwrap();
        served.state.send_replace(SessionState::Expired);
        std::mem::take(&mut served.watches)
    });
    drop(watches);
}

/// Ends a session at the server.
fn end(session: i64) {
    let events = with(|state| {
        let served = state.sessions.get_mut(&session).unwrap();
        if std::mem::replace(&mut served.is_ended, true) {
            return Vec::new();
        }
        state.tree.end(session)
    });
    announce(&events);
}

fn answer(session: i64, request: Request) -> (Answer, OneshotWatcher) {
    let (event, watcher) = oneshot::channel();
    let watch = |path: String, is_of_children| {
        let watch = Watch { path, is_of_children, event };
        with(|state| state.sessions.get_mut(&session).unwrap().watches.push(watch));
    };
    let answer = match request {
        Request::Sync => Answer::Sync,
        Request::Stat { path, watches } => {
            let stat = with(|state| state.tree.stat(&path));
            if watches {
                watch(path, false);
            }
            Answer::Stat(stat)
        }
        Request::Data { path, watches } => match with(|state| state.tree.data(&path)) {
            Ok((data, stat)) => {
                if watches {
                    watch(path, false);
                }
                Answer::Data(data, stat)
            }
            Err(error) => Answer::Change(Err((0, error))),
        },
        Request::Children { path, watches } => match with(|state| state.tree.stat(&path)) {
            Some(_) => {
                let children = with(|state| state.tree.children(&path)).into_iter();
                if watches {
                    watch(path, true);
                }
                Answer::Children(children.collect())
            }
            None => Answer::Change(Err((0, Error::NoNode))),
        },
        Request::Change(changes) => match with(|state| state.tree.change(&changes)) {
            Ok((results, events)) => {
                announce(&events);
                Answer::Change(Ok(results))
            }
            Err(refused) => Answer::Change(Err(refused)),
        },
    };
    (answer, OneshotWatcher(watcher))
}

/// Sends events to all sessions that watch.
fn announce(events: &[Event]) {
    let fired = with(|state| {
        let mut fired = Vec::new();
        for (id, session) in &mut state.sessions {
            let is_met = |watch: &mut Watch| {
                let mut events = events.iter();
                events.any(|event| (&event.0, event.1) == (&watch.path, watch.is_of_children))
            };
            let met = session.watches.extract_if(.., is_met);
            fired.extend(met.map(|watch| (*id, watch.event)));
        }
        fired
    });
    for (session, event) in fired {
        send(session, Box::new(move || event.send(()).unwrap_or_default()));
    }
}

fn send(session: i64, delivery: Delivery) {
    let _ = with(|state| state.sessions[&session].deliveries.send(delivery));
}
