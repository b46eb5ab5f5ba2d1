//! The client of a process, with the interface of `zookeeper_client`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fluo_zookeeper::tree::Change;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;
use zookeeper_client::{Acls, Error, MultiWriteError, MultiWriteResult, SessionState, Stat};

use super::ensemble::{SERVERS, with};
use super::message::{Answer, Answers, OneshotWatcher, Request};
use super::servers::catch_up;
use super::serving::{deliver, expire, serve};
use super::session::{Connection, ServedSession};
use crate::world::process::{draw, pass, process_of, state_of};

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

pub(crate) struct SessionId(pub(crate) i64);

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
