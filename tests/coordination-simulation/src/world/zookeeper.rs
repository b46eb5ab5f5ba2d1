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

use fluo_zookeeper::tree::{self, Change, Changed, Code, Effect, Tree};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep};
pub(crate) use zookeeper_client::{
    Acls, Error, MultiWriteError, MultiWriteResult, SessionState, Stat,
};

use super::process::{draw, losses, pass, process_of, state_of};

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

/// Creates a node with its parents, or replaces its data.
pub(super) fn create_all(path: &str, data: &str) {
    let node = |path: &str, data: &str| Change::Create {
        path: path.to_owned(),
        data: data.into(),
        is_ephemeral: false,
        is_sequential: false,
        with_stat: true,
    };
    let parents = path.match_indices('/').map(|(end, _)| path.split_at(end).0);
    let parents = parents.filter(|parent| !parent.is_empty()).map(|parent| node(parent, ""));
    let set = Change::Set { path: path.to_owned(), data: data.into(), version: -1 };
    for change in parents.chain([node(path, data), set]) {
        let made = with(|servers| servers.tree.change(0, &[change]));
        assert!(matches!(made, Ok(_) | Err((_, tree::NODE_EXISTS))), "{path}");
    }
}

pub(super) fn text(path: &str) -> Option<String> {
    let text = |node: &tree::Node| String::from_utf8_lossy(&node.data).into_owned();
    with(|servers| servers.tree.node(path).map(text))
}

/// Returns the names of the children of a node; none if it does not exist.
pub(super) fn children(path: &str) -> Vec<String> {
    let names = |node: &tree::Node| node.children.iter().cloned().collect();
    with(|servers| servers.tree.node(path).map(names).unwrap_or_default())
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
    Change(Vec<Change>),
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

impl OneshotWatcher {
    /// Waits for the event, or the end of the session.
    pub(crate) async fn changed(self) {
        let _ = self.0.await;
    }
}

impl Client {
    pub(crate) async fn connect(address: &str, timeout: Duration) -> Result<Self, Error> {
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
        tokio::spawn(expire(session, process, timeout));
        Ok(Client(Arc::new(Shared { session, timeout, requests, state: watched })))
    }

    pub(crate) fn state(&self) -> SessionState {
        *self.0.state.borrow()
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
        let delete = Change::Delete { path: path.to_owned(), version: version.unwrap_or(-1) };
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
    changes: Vec<Change>,
}

impl<'a> MultiWriter<'a> {
    pub(crate) fn add_check_version(&mut self, path: &str, version: i32) -> Result<(), Error> {
        self.changes.push(Change::Check { path: path.to_owned(), version });
        Ok(())
    }

    pub(crate) fn add_create(
        &mut self,
        path: &str,
        data: &[u8],
        mode: &CreateMode,
    ) -> Result<(), Error> {
        self.changes.push(Change::Create {
            path: path.to_owned(),
            data: data.to_owned(),
            is_ephemeral: *mode != CreateMode::Persistent,
            is_sequential: *mode == CreateMode::EphemeralSequential,
            with_stat: true,
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
        self.changes.push(Change::Set { path, data, version: version.unwrap_or(-1) });
        Ok(())
    }

    pub(crate) fn add_delete(&mut self, path: &str, version: Option<i32>) -> Result<(), Error> {
        let path = path.to_owned();
        self.changes.push(Change::Delete { path, version: version.unwrap_or(-1) });
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
    let effects = with(|state| {
        let served = state.sessions.get_mut(&session).unwrap();
        if std::mem::replace(&mut served.is_ended, true) {
            return Vec::new();
        }
        state.tree.end_session(session)
    });
    announce(&effects);
}

fn answer(session: i64, request: Request) -> (Answer, OneshotWatcher) {
    let (event, watcher) = oneshot::channel();
    let watch = |path: String, is_of_children| {
        let watch = Watch { path, is_of_children, event };
        with(|state| state.sessions.get_mut(&session).unwrap().watches.push(watch));
    };
    let node = |path: &str| with(|state| state.tree.node(path).cloned());
    let answer = match request {
        Request::Sync => Answer::Sync,
        Request::Stat { path, watches } => {
            let stat = node(&path).map(|node| stat(&node.stat()));
            if watches {
                watch(path, false);
            }
            Answer::Stat(stat)
        }
        Request::Data { path, watches } => match node(&path) {
            Some(node) => {
                if watches {
                    watch(path, false);
                }
                Answer::Data(node.data.clone(), stat(&node.stat()))
            }
            None => Answer::Change(Err((0, Error::NoNode))),
        },
        Request::Children { path, watches } => match node(&path) {
            Some(node) => {
                if watches {
                    watch(path, true);
                }
                Answer::Children(node.children.into_iter().collect())
            }
            None => Answer::Change(Err((0, Error::NoNode))),
        },
        Request::Change(changes) => match with(|state| state.tree.change(session, &changes)) {
            Ok((results, effects)) => {
                announce(&effects);
                Answer::Change(Ok(results.into_iter().map(result).collect()))
            }
            Err((index, code)) => Answer::Change(Err((index, error(code)))),
        },
    };
    (answer, OneshotWatcher(watcher))
}

fn stat(stat: &tree::Stat) -> Stat {
    Stat {
        czxid: stat.created,
        mzxid: stat.modified,
        pzxid: stat.children_modified,
        ctime: 0,
        mtime: 0,
        version: stat.version,
        cversion: stat.children_version,
        aversion: 0,
        ephemeral_owner: stat.owner,
        data_length: stat.data_length,
        num_children: stat.children,
    }
}

fn result(changed: Changed) -> MultiWriteResult {
    match changed {
        Changed::Created { path, stat: created, .. } => {
            MultiWriteResult::Create { path, stat: stat(&created) }
        }
        Changed::Deleted => MultiWriteResult::Delete,
        Changed::Set(set) => MultiWriteResult::SetData { stat: stat(&set) },
        Changed::Checked => MultiWriteResult::Check,
    }
}

fn error(code: Code) -> Error {
    match code {
        tree::NO_NODE => Error::NoNode,
        tree::BAD_VERSION => Error::BadVersion,
        tree::NO_CHILDREN_FOR_EPHEMERALS => Error::NoChildrenForEphemerals,
        tree::NODE_EXISTS => Error::NodeExists,
        tree::NOT_EMPTY => Error::NotEmpty,
        code => Error::UnexpectedError(code.to_string()),
    }
}

/// Sends effects to all sessions that watch.
fn announce(effects: &[Effect]) {
    let fired = with(|state| {
        let mut fired = Vec::new();
        for (id, session) in &mut state.sessions {
            let is_met = |watch: &mut Watch| {
                effects.iter().any(|it| it.is_seen_at(&watch.path, watch.is_of_children))
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
