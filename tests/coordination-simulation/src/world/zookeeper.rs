//! An ensemble of servers and its sessions, with the interface of `zookeeper_client`.
//!
//! The leader makes all changes, and each server applies them in their order, after some time. A
//! server may be cut off from the leader for as long as the `syncLimit` of ZooKeeper. Meanwhile it
//! answers reads as before, but changes and `sync` wait, and it does not report its sessions. Then
//! it continues, or it restarts. A session reads from its server, which sends an event before an
//! answer that has the change. After a break of its connection it has another server, which has
//! applied as much.
//!
//! Requests of a session arrive in their order, and so do answers and events, each after a delay. A
//! connection may break before or after the effect of a request. It takes all requests and answers
//! under way with it; later requests wait for the next one. A session ends at the leader once no
//! server has reported it for its timeout, or some time later. Its client notices that when it
//! connects, or after 7/5 of the timeout without a connection.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fluo_zookeeper::tree::{self, Change, Changed, Code, Effect, Tree};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until};
pub(crate) use zookeeper_client::{
    Acls, Error, MultiWriteError, MultiWriteResult, SessionState, Stat,
};

use super::process::{delay, dials, draw, pass, process_of, state_of};

/// Number of servers.
const SERVERS: usize = 3;
/// Number of pings within a session timeout.
const PINGS: u32 = 3;
/// The time between two reports of a server to the leader.
const REPORT: Duration = Duration::from_secs(1);
/// The share of reports before which a server is cut off from the leader.
const ISOLATIONS: f64 = 0.03;
/// The time between two looks at a connection.
const LOOK: Duration = Duration::from_millis(50);

/// The leader, the servers, and their sessions.
#[derive(Default)]
struct Ensemble {
    tree: Tree,
    /// The effects of all changes.
    log: Vec<Vec<Effect>>,
    servers: Vec<Server>,
    sessions: BTreeMap<i64, ServedSession>,
}

/// A server that clients are connected to.
struct Server {
    tree: Arc<Tree>,
    /// The number of changes that it has applied.
    applied: usize,
    /// Notified after each change, in the order of the waiting tasks.
    applies: Arc<Notify>,
    isolated_until: Instant,
    committed: mpsc::UnboundedSender<Committed>,
}

/// The state of the leader after a number of changes, and its time.
#[derive(Clone)]
struct Committed {
    number: usize,
    tree: Arc<Tree>,
    at: Instant,
}

thread_local! {
    static ENSEMBLE: RefCell<Ensemble> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Ensemble) -> T) -> T {
    ENSEMBLE.with_borrow_mut(work)
}

pub(super) fn begin() {
    drop(ENSEMBLE.take());
    for number in 0..SERVERS {
        let (committed, commits) = mpsc::unbounded_channel();
        let server = Server {
            tree: Arc::default(),
            applied: 0,
            applies: Arc::default(),
            isolated_until: Instant::now(),
            committed,
        };
        with(|ensemble| ensemble.servers.push(server));
        real_tokio::spawn(follow(number, commits));
        real_tokio::spawn(report(number));
    }
}

impl Ensemble {
    /// Makes changes at the leader.
    fn change(&mut self, session: i64, changes: &[Change]) -> Result<Vec<Changed>, (usize, Code)> {
        let (results, effects) = self.tree.change(session, changes)?;
        self.commit(effects);
        Ok(results)
    }

    fn commit(&mut self, effects: Vec<Effect>) {
        self.log.push(effects);
        let committed = self.committed();
        for server in &self.servers {
            let _ = server.committed.send(committed.clone());
        }
    }

    fn committed(&self) -> Committed {
        Committed { number: self.log.len(), tree: Arc::new(self.tree.clone()), at: Instant::now() }
    }

    fn session(&mut self, session: i64) -> &mut ServedSession {
        self.sessions.get_mut(&session).unwrap()
    }

    fn server_of(&self, session: i64) -> &Server {
        &self.servers[self.sessions[&session].server]
    }

    /// Ends a session at the leader.
    fn end(&mut self, session: i64) {
        if self.session(session).ended.is_none() {
            let effects = self.tree.end_session(session);
            self.commit(effects);
            self.session(session).ended = Some(self.log.len());
        }
    }

    /// Checks whether the server of a session has applied its end.
    fn has_ended(&self, session: i64) -> bool {
        let applied = self.server_of(session).applied;
        self.sessions[&session].ended.is_some_and(|ended| ended <= applied)
    }

    /// Sends some effects to a session that watches.
    fn announce(&mut self, session: i64, from: usize, to: usize) {
        let effects = &self.log[from..to];
        let session = self.sessions.get_mut(&session).unwrap();
        let is_met = |watch: &mut Watch| {
            let mut effects = effects.iter().flatten();
            effects.any(|effect| effect.is_seen_at(&watch.path, watch.is_of_children))
        };
        for watch in session.watches.extract_if(.., is_met) {
            let _ = session.deliveries.send(Delivery::Event(watch.event));
        }
    }
}

/// Applies all changes of the leader at a server.
async fn follow(server: usize, mut commits: mpsc::UnboundedReceiver<Committed>) {
    while let Some(committed) = commits.recv().await {
        sleep_until(committed.at + delay()).await;
        link(server).await;
        apply(server, committed);
    }
}

fn apply(server: usize, Committed { number, tree, .. }: Committed) {
    with(|ensemble| {
        let at = &mut ensemble.servers[server];
        let applied = at.applied;
        if number <= applied {
            return;
        }
        at.tree = tree;
        let sessions = ensemble.sessions.iter().filter(|(_, session)| session.server == server);
        let sessions: Vec<_> = sessions.map(|(number, _)| *number).collect();
        for session in sessions {
            ensemble.announce(session, applied, number);
        }
        ensemble.servers[server].applied = number;
        ensemble.servers[server].applies.notify_waiters();
    });
}

/// Reports to the leader which sessions of a server are alive.
async fn report(server: usize) {
    loop {
        sleep(REPORT).await;
        if draw(fastrand::Rng::f64) < ISOLATIONS {
            let until = Instant::now() + dials().max_lag.mul_f64(draw(fastrand::Rng::f64));
            with(|ensemble| ensemble.servers[server].isolated_until = until);
            sleep_until(until).await;
            if draw(fastrand::Rng::bool) {
                restart(server);
            }
        }
        with(|ensemble| {
            let sessions = ensemble.sessions.values_mut().filter(|session| session.is_connected());
            for session in sessions.filter(|session| session.server == server) {
                let state = state_of(session.process);
                let is_silent = state.is_dead || state.is_frozen || session.is_closed;
                let is_silent = is_silent || session.state.borrow().is_terminated();
                if !is_silent && session.touched.elapsed() >= session.timeout / PINGS {
                    session.touched = Instant::now();
                }
                session.reported = session.touched;
            }
        });
    }
}

/// Breaks the connections of a server, which does not report their last messages.
fn restart(server: usize) {
    let sessions = with(|ensemble| {
        let sessions = ensemble.sessions.iter_mut();
        let sessions = sessions.filter(|(_, session)| session.server == server);
        let lost = sessions.map(|(number, session)| {
            session.touched = session.reported;
            *number
        });
        lost.collect::<Vec<_>>()
    });
    sessions.into_iter().for_each(disconnect);
}

/// Waits while a server is cut off from the leader.
async fn link(server: usize) {
    loop {
        let until = with(|ensemble| ensemble.servers[server].isolated_until);
        if until <= Instant::now() {
            return;
        }
        sleep_until(until).await;
    }
}

/// Waits until a server has applied everything that the leader has.
async fn catch_up(server: usize) {
    link(server).await;
    let (applies, number) =
        with(|ensemble| (ensemble.servers[server].applies.clone(), ensemble.log.len()));
    while with(|ensemble| ensemble.servers[server].applied < number) {
        applies.notified().await;
    }
}

/// Creates a node with its parents, or replaces its data, at all servers at once.
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
        let made = with(|ensemble| ensemble.change(0, &[change]));
        assert!(matches!(made, Ok(_) | Err((_, tree::NODE_EXISTS))), "{path}");
    }
    let committed = with(|ensemble| ensemble.committed());
    (0..SERVERS).for_each(|server| apply(server, committed.clone()));
}

pub(super) fn text(path: &str) -> Option<String> {
    let text = |node: &tree::Node| String::from_utf8_lossy(&node.data).into_owned();
    with(|ensemble| ensemble.tree.node(path).map(text))
}

/// Returns the names of the children of a node; none if it does not exist.
pub(super) fn children(path: &str) -> Vec<String> {
    let names = |node: &tree::Node| node.children.iter().cloned().collect();
    with(|ensemble| ensemble.tree.node(path).map(names).unwrap_or_default())
}

/// Breaks the connections of a process.
pub(super) fn disconnect_all(process: u32) {
    sessions_of(process).into_iter().for_each(disconnect);
}

/// Breaks some connections of a process that was frozen. A client that has received nothing for 2/5
/// of its timeout connects again, unless an answer is there first.
pub(super) fn resume(process: u32, frozen: Duration) {
    for session in sessions_of(process) {
        let limit = with(|ensemble| ensemble.session(session).timeout) * 2 / 5;
        if frozen >= limit && draw(fastrand::Rng::bool) {
            disconnect(session);
        }
    }
}

fn sessions_of(process: u32) -> Vec<i64> {
    let of_it =
        |(number, session): (&i64, &ServedSession)| (session.process == process).then_some(*number);
    with(|ensemble| ensemble.sessions.iter().filter_map(of_it).collect())
}

/// A session at the servers.
struct ServedSession {
    process: u32,
    timeout: Duration,
    server: usize,
    /// The connection, or the next one while there is none.
    connection: watch::Sender<Connection>,
    /// True once the client is dropped.
    is_closed: bool,
    /// The number of changes up to its end.
    ended: Option<usize>,
    state: watch::Sender<SessionState>,
    /// The time of the last message to its server, and of the last one that the leader knows of.
    touched: Instant,
    reported: Instant,
    watches: Vec<Watch>,
    deliveries: mpsc::UnboundedSender<Delivery>,
}

#[derive(Clone, Copy, Debug)]
struct Connection {
    number: u64,
    is_up: bool,
}

impl ServedSession {
    fn is_connected(&self) -> bool {
        self.connection.borrow().is_up
    }

    fn show(&self, state: SessionState) {
        if !self.state.borrow().is_terminated() {
            self.state.send_replace(state);
        }
    }
}

/// A message to a client.
enum Delivery {
    /// With the number of its connection.
    Answer(Answers, u64, Result<(Answer, OneshotWatcher), Error>),
    Event(oneshot::Sender<()>),
}

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
    /// With the number of the connection for which they wait.
    requests: mpsc::UnboundedSender<(Request, Answers, u64)>,
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
        let server = draw(|random| random.usize(..SERVERS));
        // It applies the beginning of the session before it answers.
        catch_up(server).await;
        let (requests, arriving) = mpsc::unbounded_channel();
        let (deliveries, delivered) = mpsc::unbounded_channel();
        let state = watch::Sender::new(SessionState::SyncConnected);
        let watched = state.subscribe();
        let now = Instant::now();
        let served = ServedSession {
            process,
            timeout,
            server,
            connection: watch::Sender::new(Connection { number: 0, is_up: true }),
            is_closed: false,
            ended: None,
            state,
            touched: now,
            reported: now,
            watches: Vec::new(),
            deliveries,
        };
        let session = with(|ensemble| {
            let session = i64::try_from(ensemble.sessions.len()).unwrap_or_default() + 1;
            ensemble.sessions.insert(session, served);
            session
        });
        real_tokio::spawn(serve(session, process, arriving));
        real_tokio::spawn(deliver(session, process, delivered));
        real_tokio::spawn(expire(session, process, timeout));
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
        self.send(request).await.unwrap_or(Err(Error::ClientClosed))
    }

    fn send(&self, request: Request) -> oneshot::Receiver<Result<(Answer, OneshotWatcher), Error>> {
        let (sender, answer) = oneshot::channel();
        let session = self.0.session;
        let number = with(|ensemble| ensemble.session(session).connection.borrow().number);
        let _ = self.0.requests.send((request, sender, number));
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
    mut requests: mpsc::UnboundedReceiver<(Request, Answers, u64)>,
) {
    let mut connection = with(|ensemble| ensemble.session(session).connection.subscribe());
    while let Some((request, answers, number)) = requests.recv().await {
        let is_up = connection.wait_for(|now| now.is_up || now.number > number).await.is_ok();
        if !is_up || pass(process).await.is_err() {
            return;
        }
        let lost = async || {
            let _ = connection.clone().wait_for(|now| now.number > number).await;
            Err(Error::ConnectionLoss)
        };
        let losses = dials().losses;
        let answer = async || match draw(fastrand::Rng::f64) {
            dice if dice < losses / 2.0 => Err(Error::ConnectionLoss),
            dice if dice < losses => answer(session, request).await.and(Err(Error::ConnectionLoss)),
            _ => answer(session, request).await,
        };
        let answer = tokio::select! {
            lost = lost() => lost,
            answer = answer() => answer,
        };
        if matches!(answer, Err(Error::ConnectionLoss))
            && with(|ensemble| ensemble.session(session).connection.borrow().number == number)
        {
            disconnect(session);
        }
        let answer = Delivery::Answer(answers, number, answer);
        let _ = with(|ensemble| ensemble.sessions[&session].deliveries.send(answer));
    }
    with(|ensemble| ensemble.session(session).is_closed = true);
    // Otherwise it ends by its timeout.
    if pass(process).await.is_ok() && with(|ensemble| ensemble.session(session).is_connected()) {
        link(with(|ensemble| ensemble.sessions[&session].server)).await;
        with(|ensemble| ensemble.end(session));
    }
}

/// Breaks the connection of a session, until its client has connected to a server again.
fn disconnect(session: i64) {
    let breaks = |connection: &mut Connection| {
        connection.number += u64::from(connection.is_up);
        std::mem::replace(&mut connection.is_up, false)
    };
    let has_broken = with(|ensemble| {
        let served = ensemble.session(session);
        let is_over = served.is_closed || served.state.borrow().is_terminated();
        let has_broken = !is_over && served.connection.send_if_modified(breaks);
        if has_broken {
            served.show(SessionState::Disconnected);
        }
        has_broken
    });
    if has_broken {
        real_tokio::spawn(connect_again(session));
    }
}

/// Connects a session to a server that has applied as much as its last one.
async fn connect_again(session: i64) {
    let (process, timeout) = with(|ensemble| {
        let session = ensemble.session(session);
        (session.process, session.timeout)
    });
    let broken = Instant::now();
    while pass(process).await.is_ok() {
        sleep(LOOK).await;
        let server = draw(|random| random.usize(..SERVERS));
        let state = state_of(process);
        let is_done = with(|ensemble| {
            let to = &ensemble.servers[server];
            let (applied, is_isolated) = (to.applied, to.isolated_until > Instant::now());
            let seen = ensemble.server_of(session).applied;
            let served = ensemble.session(session);
            let is_behind = applied < seen.max(served.ended.unwrap_or_default());
            if served.is_closed {
                return true;
            }
            let is_expired = broken.elapsed() >= timeout * 7 / 5;
            if state.is_frozen || !is_expired && (state.is_cut || is_isolated || is_behind) {
                return false;
            }
            if is_expired {
                served.show(SessionState::Expired);
                served.watches.clear();
            } else {
                served.server = server;
                // The server asks the leader whether the session continues.
                served.touched = Instant::now();
                served.reported = served.touched;
                served.show(SessionState::SyncConnected);
                ensemble.announce(session, seen, applied);
            }
            let served = ensemble.session(session);
            served.connection.send_modify(|connection| connection.is_up = true);
            true
        });
        if is_done {
            return;
        }
    }
}

/// Hands answers and events to the client, in their order.
async fn deliver(session: i64, process: u32, mut deliveries: mpsc::UnboundedReceiver<Delivery>) {
    while let Some(delivery) = deliveries.recv().await {
        if pass(process).await.is_err() {
            return;
        }
        match delivery {
            Delivery::Answer(answers, number, answer) => {
                let is_lost =
                    with(|ensemble| ensemble.session(session).connection.borrow().number > number);
                let answer = if is_lost { Err(Error::ConnectionLoss) } else { answer };
                drop(answers.send(answer));
            }
            Delivery::Event(event) => {
                // The server sends it again to a client that is back.
                while with(|ensemble| !ensemble.session(session).is_connected()) {
                    sleep(LOOK).await;
                }
                let _ = event.send(());
            }
        }
    }
}

/// Ends the session once its client was silent for the timeout.
async fn expire(session: i64, process: u32, timeout: Duration) {
    // Some sessions end late.
    let limit = timeout.mul_f64(1.0 + draw(|random| random.f64() * f64::from(random.u8(..2))));
    loop {
        let end = with(|ensemble| {
            let served = ensemble.session(session);
            let end = served.reported + limit;
            if served.ended.is_none() && end <= Instant::now() {
                ensemble.end(session);
            }
            ensemble.session(session).ended.is_none().then_some(end)
        });
        let Some(end) = end else { break };
        sleep_until(end).await;
    }
    // The client learns it as soon as it is back.
    let is_away = || {
        let is_away = |ensemble: &mut Ensemble| {
            !ensemble.session(session).is_connected() || !ensemble.has_ended(session)
        };
        state_of(process).is_frozen || with(is_away)
    };
    while is_away() {
        sleep(LOOK).await;
    }
    let watches = with(|ensemble| {
        let served = ensemble.session(session);
        served.show(SessionState::Expired);
        std::mem::take(&mut served.watches)
    });
    drop(watches);
}

/// Answers a request.
async fn answer(session: i64, request: Request) -> Result<(Answer, OneshotWatcher), Error> {
    let (has_ended, server) = with(|ensemble| {
        let is_terminated = ensemble.session(session).state.borrow().is_terminated();
        if !is_terminated {
            ensemble.session(session).touched = Instant::now();
        }
        (is_terminated || ensemble.has_ended(session), ensemble.sessions[&session].server)
    });
    if has_ended {
        return Err(Error::SessionExpired);
    }
    let is_of_leader = matches!(request, Request::Change(_) | Request::Sync);
    if is_of_leader {
        link(server).await;
        if with(|ensemble| ensemble.session(session).ended.is_some()) {
            return Err(Error::SessionExpired);
        }
    }
    let (event, watcher) = oneshot::channel();
    let watch = |path: String, is_of_children| {
        let watch = Watch { path, is_of_children, event };
        with(|ensemble| ensemble.session(session).watches.push(watch));
    };
    let node = |path: &str| with(|ensemble| ensemble.servers[server].tree.node(path).cloned());
    let answer = match request {
        Request::Sync => Answer::Sync,
        Request::Stat { path, watches } => {
            let stat = node(&path).map(|node| stat(&node.stat()));
            if watches {
                watch(path, false);
            }
            Answer::Stat(stat)
        }
        Request::Data { path, watches } => {
            let node = node(&path).ok_or(Error::NoNode)?;
            if watches {
                watch(path, false);
            }
            Answer::Data(node.data.clone(), stat(&node.stat()))
        }
        Request::Children { path, watches } => {
            let node = node(&path).ok_or(Error::NoNode)?;
            if watches {
                watch(path, true);
            }
            Answer::Children(node.children.into_iter().collect())
        }
        Request::Change(changes) => {
            let made = with(|ensemble| ensemble.change(session, &changes));
            Answer::Change(match made {
                Ok(results) => Ok(results.into_iter().map(result).collect()),
                Err((index, code)) => Err((index, error(code))),
            })
        }
    };
    if is_of_leader {
        catch_up(server).await;
    }
    Ok((answer, OneshotWatcher(watcher)))
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
