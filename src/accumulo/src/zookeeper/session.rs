//! One session of ZooKeeper. Its ephemeral nodes exist as long as it does.

use std::sync::Arc;
use std::time::Duration;

use fluo_table::{Error, ErrorKind, Result};
use futures::future::{FutureExt, join_all};
use futures::join;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;
use tracing::debug;

use super::change::{Change, NodeKind, Outcome, Refusal};
use super::client::{
    Acls, Client, CreateMode, Error as Cause, MultiWriteError, MultiWriteResult, SessionState, Stat,
};
use super::connection::Connection;
use super::error::{changing, is_connection_lost, reading};
use super::lease::{Activity, Lease, Moment, RENEWALS};
use super::options::{Access, SessionOptions};
use super::watched::Watched;
use crate::telemetry::{self, SESSIONS};

/// Maximum number of times to send a request whose connection is lost before the answer.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// The session of a process with ZooKeeper, which is replaced when it has ended.
#[derive(Debug)]
pub(crate) struct Keeper {
    options: SessionOptions,
    current: Mutex<Arc<Session>>,
}

impl Keeper {
    pub(crate) async fn connect(options: SessionOptions) -> Result<Self> {
        let current = Mutex::new(Arc::new(Session::open(&options).await?));
        Ok(Self { options, current })
    }

    /// Returns the current session, or a new one if it has ended.
    pub(crate) async fn session(&self) -> Result<Arc<Session>> {
        let mut current = self.current.lock().await;
        if current.has_ended() {
            *current = Arc::new(Session::open(&self.options).await?);
        }
        Ok(current.clone())
    }

    /// Returns the path of the node below which the applications are.
    pub(crate) fn chroot(&self) -> &str {
        &self.options.chroot
    }
}

/// A session. Requests wait while the connection is lost, until the session continues or ends.
#[derive(Debug)]
pub(crate) struct Session {
    client: Client,
    access: Access,
    servers: String,
    activity: Arc<Activity>,
    /// Held while a numbered node is created, whose path is unknown if the answer is lost.
    pub(crate) numbering: Mutex<Vec<String>>,
    /// The last field, because it is dropped after the client.
    connection: Connection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeStat {
    /// The number of the transaction that created the node. No other node has it, unless both were
    /// created together.
    pub(crate) created: i64,
    pub(crate) version: i32,
    /// True if it belongs to the session that asks.
    pub(crate) is_own: bool,
    /// True if it belongs to any session.
    pub(crate) is_ephemeral: bool,
    pub(crate) children: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) data: Vec<u8>,
    pub(crate) stat: NodeStat,
}

/// An ephemeral node of this session, with the number of the transaction that created it, if that
/// is known.
#[derive(Clone, Debug)]
pub(crate) struct OwnNode {
    pub(crate) path: String,
    pub(crate) created: Option<i64>,
}

/// A lease that is renewed until this is dropped, which ends it.
#[derive(Debug)]
pub(crate) struct KeptLease {
    pub(crate) lease: Arc<Lease>,
    renewing: AbortHandle,
}

impl Drop for KeptLease {
    fn drop(&mut self) {
        self.renewing.abort();
        self.lease.end();
    }
}

impl Session {
    async fn open(options: &SessionOptions) -> Result<Self> {
        let requested = Moment::now();
        let (connection, client) = Connection::open(options).await?;
        let activity = Arc::new(Activity::new(client.session_timeout(), requested));
        let SessionOptions { servers, access, .. } = options.clone();
        telemetry::count(SESSIONS, 1);
        Ok(Self { client, access, servers, activity, numbering: Mutex::default(), connection })
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.client.state().is_terminated()
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.client.state() == SessionState::SyncConnected
    }

    pub(crate) async fn stat(&self, path: &str) -> Result<Option<NodeStat>> {
        let stat = self.read(path, || self.client.check_stat(path)).await?.flatten();
        Ok(stat.map(|stat| self.stat_of(&stat)))
    }

    pub(crate) async fn node(&self, path: &str) -> Result<Option<Node>> {
        let found = self.read(path, || self.client.get_data(path)).await?;
        Ok(found.map(|(data, stat)| self.node_of(data, &stat)))
    }

    /// Returns a node, or `None` if it does not exist or this session may not read it.
    pub(crate) async fn readable_node(&self, path: &str) -> Result<Option<Node>> {
        match self.node(path).await {
            Err(error) if error.kind() == ErrorKind::Denied => Ok(None),
            node => node,
        }
    }

    /// Returns a node and watches it, or `None` without a watch if it does not exist.
    pub(crate) async fn watch_node(&self, path: &str) -> Result<Option<Watched<Node>>> {
        let found = self.read(path, || self.client.get_and_watch_data(path)).await?;
        Ok(found.map(|(data, stat, watcher)| Watched::new(self.node_of(data, &stat), watcher)))
    }

    /// Returns the names of the children of a node; none if it does not exist.
    pub(crate) async fn children(&self, path: &str) -> Result<Vec<String>> {
        Ok(self.read(path, || self.client.list_children(path)).await?.unwrap_or_default())
    }

    /// Returns the names of the children of a node and watches them, or `None` without a watch if
    /// the node does not exist.
    pub(crate) async fn watch_children(&self, path: &str) -> Result<Option<Watched<Vec<String>>>> {
        let found = self.read(path, || self.client.list_and_watch_children(path)).await?;
        Ok(found.map(|(names, watcher)| Watched::new(names, watcher)))
    }

    /// Brings the server of this session up to date, so that later reads return everything that
    /// was written before. A read waits for it: if the connection breaks between them, a repeated
    /// `sync` would come after the read.
    pub(crate) async fn sync(&self, path: &str) -> Result<()> {
        self.read(path, || self.client.sync(path)).await.map(|_| ())
    }

    /// Returns the state of a node after a [`sync`](Self::sync).
    pub(crate) async fn current_stat(&self, path: &str) -> Result<Option<NodeStat>> {
        self.sync(path).await?;
        self.stat(path).await
    }

    /// Returns a node after a [`sync`](Self::sync).
    pub(crate) async fn current_node(&self, path: &str) -> Result<Option<Node>> {
        self.sync(path).await?;
        self.node(path).await
    }

    /// Waits until a node does not exist, or `limit` has passed. Returns whether it exists.
    pub(crate) async fn wait_for_end(&self, path: &str, limit: Duration) -> Result<bool> {
        let wait = async {
            while let Some(node) = self.watch_node(path).await? {
                node.event().await;
            }
            Ok(false)
        };
        tokio::time::timeout(limit, wait).await.unwrap_or(Ok(true))
    }

    /// Keeps the lease of an ephemeral node of this session. It ends when the node or the session
    /// does.
    pub(crate) fn keep_lease(&self, path: String) -> KeptLease {
        let lease = Arc::new(Lease::new(self.activity.clone()));
        // The task has the client, not the session: the last owner of a session must not drop it in
        // the runtime of the session.
        let renewing = renew(self.client.clone(), path, lease.clone());
        let renewing = self.connection.handle().spawn(renewing).abort_handle();
        KeptLease { lease, renewing }
    }

    /// Makes all changes, or none. The error is uncertain if the session has ended, so that its
    /// ephemeral nodes end too.
    pub(crate) async fn change(&self, changes: &[Change]) -> Result<Outcome> {
        let path = changes.first().map_or("/", Change::path);
        let answer = match send(&self.client, &self.access, changes) {
            Ok(answer) => answer.await,
            Err(cause) => Err(cause.into()),
        };
        let created = |result| match result {
            MultiWriteResult::Create { path, .. } => Some(path),
            _ => None,
        };
        match answer {
            Ok(results) => Ok(Outcome::Done(results.into_iter().filter_map(created).collect())),
            Err(MultiWriteError::RequestFailed { source }) if is_connection_lost(&source) => {
                tokio::time::sleep(PAUSE).await;
                Ok(Outcome::Unknown)
            }
            Err(MultiWriteError::RequestFailed { source }) => {
                Err(changing(&self.servers, path, source))
            }
            Err(MultiWriteError::OperationFailed { index, source }) => {
                let path = changes.get(index).map_or(path, Change::path);
                refusal(&source)
                    .map(|refusal| Outcome::Refused(index, refusal))
                    .ok_or_else(|| reading(&self.servers, path, source))
            }
        }
    }

    /// Deletes nodes of this session in the background. The request is sent before this returns, so
    /// that later requests of the session find the nodes deleted.
    pub(crate) fn delete_later(&self, paths: Vec<String>) {
        let first: Vec<_> = paths.iter().map(|path| self.client.delete(path, None)).collect();
        // The client keeps the session open until the answers have arrived.
        let client = self.client.clone();
        let answers = async move {
            for (path, answer) in paths.into_iter().zip(join_all(first).await) {
                match answer {
                    Err(cause) if is_connection_lost(&cause) => {
                        delete_own_node(&client, &OwnNode { path, created: None }).await;
                    }
                    answer => log_failed_deletion(&path, answer),
                }
            }
        };
        self.connection.handle().spawn(answers);
    }

    /// As [`delete_later`](Self::delete_later), for a node and perhaps another one with it. Creates
    /// a new node in the same step, unless that fails.
    pub(crate) fn replace_later(&self, node: OwnNode, other: Option<String>, new: Change) {
        let (client, access) = (self.client.clone(), self.access.clone());
        let mut answers = async move {
            let delete = Change::delete(&node.path);
            let others = other.iter().map(Change::delete);
            let changes: Vec<_> = [delete].into_iter().chain(others).chain([new]).collect();
            loop {
                let answer = match send(&client, &access, &changes) {
                    Ok(answer) => answer.await,
                    Err(cause) => Err(cause.into()),
                };
                match answer {
                    Ok(_) => return,
                    Err(MultiWriteError::RequestFailed { source })
                        if is_connection_lost(&source) && node.exists(&client).await =>
                    {
                        tokio::time::sleep(PAUSE).await;
                    }
                    Err(_) => break,
                }
            }
            delete_own_node(&client, &node).await;
            if let Some(path) = other {
                delete_own_node(&client, &OwnNode { path, created: None }).await;
            }
        }
        .boxed();
        let _runtime = self.connection.handle().enter();
        // The first poll sends the request.
        if (&mut answers).now_or_never().is_none() {
            tokio::spawn(answers);
        }
    }

    /// Reads, and retries if the connection is lost. Returns `None` if there is no such node.
    async fn read<T, F>(&self, path: &str, read: impl Fn() -> F + Send) -> Result<Option<T>>
    where
        F: Future<Output = Result<T, Cause>> + Send,
    {
        match retried(read).await {
            Ok(found) => Ok(Some(found)),
            Err(Cause::NoNode) => Ok(None),
            Err(cause) => Err(reading(&self.servers, path, cause)),
        }
    }

    fn node_of(&self, data: Vec<u8>, stat: &Stat) -> Node {
        Node { data, stat: self.stat_of(stat) }
    }

    fn stat_of(&self, stat: &Stat) -> NodeStat {
        NodeStat {
            created: stat.czxid,
            version: stat.version,
            is_own: stat.ephemeral_owner == self.client.session_id().0,
            is_ephemeral: stat.ephemeral_owner != 0,
            children: usize::try_from(stat.num_children).unwrap_or_default(),
        }
    }
}

/// Renews the lease of a node, until the node or its session ends.
async fn renew(client: Client, path: String, lease: Arc<Lease>) {
    let interval = client.session_timeout() / RENEWALS;
    loop {
        let sent = Moment::now();
        // The server asks the leader of the ensemble, which ends sessions, before it answers.
        let (synced, found) = join!(client.sync(&path), client.check_and_watch_stat(&path));
        match synced.and(found) {
            Ok((Some(stat), watcher)) if stat.ephemeral_owner == client.session_id().0 => {
                lease.renew(sent);
                // Looks again as soon as the node changes.
                let _ = tokio::time::timeout(interval, watcher.changed()).await;
            }
            Ok(_) => return lease.end(),
            Err(_) if client.state().is_terminated() => return lease.end(),
            Err(cause) => {
                debug!(%path, %cause, "a lease is not renewed");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn send<'a>(
    client: &'a Client,
    access: &Access,
    changes: &[Change],
) -> Result<
    impl Future<Output = Result<Vec<MultiWriteResult>, MultiWriteError>> + Send + use<'a>,
    Cause,
> {
    let mut writer = client.new_multi_writer();
    for change in changes {
        match change {
            Change::Require { path, version } => {
                writer.add_check_version(path, version.unwrap_or(-1))?;
            }
            Change::Create { kind, path, data } => {
                let mode = match kind {
                    NodeKind::Persistent | NodeKind::Public => CreateMode::Persistent,
                    NodeKind::Ephemeral => CreateMode::Ephemeral,
                    NodeKind::Numbered => CreateMode::EphemeralSequential,
                };
                let entries = access.entries(*kind);
                writer.add_create(path, data, &mode.with_acls(Acls::new(&entries)))?;
            }
            Change::Set { path, data, version } => writer.add_set_data(path, data, *version)?,
            Change::Delete { path, version } => writer.add_delete(path, *version)?,
        }
    }
    Ok(writer.commit())
}

/// Sends a request, and again if the connection is lost.
async fn retried<T, F>(request: impl Fn() -> F + Send) -> Result<T, Cause>
where
    F: Future<Output = Result<T, Cause>> + Send,
{
    let mut answer = request().await;
    for _ in 1..TRIES {
        if !answer.as_ref().is_err_and(is_connection_lost) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        answer = request().await;
    }
    answer
}

impl OwnNode {
    /// Checks whether the node exists, and not another one of its name. Waits for a connection
    /// until the session has ended; its nodes end too.
    async fn exists(&self, client: &Client) -> bool {
        while !client.state().is_terminated() {
            // Another server may not have the effect of a lost request yet.
            let (synced, found) = join!(client.sync(&self.path), client.check_stat(&self.path));
            match synced.and(found) {
                Err(cause) if is_connection_lost(&cause) => tokio::time::sleep(PAUSE).await,
                found => {
                    let is_it = |stat: &Stat| {
                        stat.ephemeral_owner == client.session_id().0
                            && self.created.is_none_or(|created| created == stat.czxid)
                    };
                    return found.is_ok_and(|stat| stat.is_some_and(|stat| is_it(&stat)));
                }
            }
        }
        false
    }
}

/// Deletes a node after a request whose answer was lost: it may have taken effect, and another
/// session may have a node of this name since.
async fn delete_own_node(client: &Client, node: &OwnNode) {
    while node.exists(client).await {
        match client.delete(&node.path, None).await {
            Err(cause) if is_connection_lost(&cause) => tokio::time::sleep(PAUSE).await,
            answer => return log_failed_deletion(&node.path, answer),
        }
    }
}

fn log_failed_deletion(path: &str, answer: Result<(), Cause>) {
    if let Err(cause) = answer {
        debug!(%path, %cause, "a node is not deleted, and ends with its session");
    }
}

fn refusal(cause: &Cause) -> Option<Refusal> {
    Some(match cause {
        Cause::NoNode => Refusal::Missing,
        Cause::NodeExists => Refusal::Exists,
        Cause::BadVersion | Cause::NotEmpty => Refusal::Other,
        _ => return None,
    })
}

/// Creates the error for changes that other clients keep preventing.
pub(crate) fn too_busy(path: &str) -> Error {
    Error::unavailable(format!("other clients keep changing `{path}` in ZooKeeper; try again"))
}
