//! A worker, as a finder of Fluo.
//!
//! It watches the nodes of all workers and the split points, and a task of its own reads what has
//! changed. So the pause after a change begins when the event arrives, and a call for the share
//! sends no request if nothing has changed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use fluo_table::coordination::{Application, Share, WorkerMembership};
use fluo_table::{Bytes, Error, ErrorKind, Result, locked};
use futures::FutureExt;
use futures::future::select_all;
use tokio::sync::{Mutex, Notify};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};
use tracing::{debug, warn};

use super::finders::Finders;
use super::hand_over::HandOver;
use super::locks::require_shared;
use super::opened::Opened;
use super::splits;
use super::vacancies::{self, Vacancies};
use super::worker_settings::WorkerSettings;
use crate::paths::{FINDERS, SPLITS, VACANCIES};
use crate::zookeeper::{
    Change, Children, Node, NodeKind, Outcome, OwnNode, Refusal, Session, TRIES, delete_own,
};

const PREFIX: &str = "f-";

/// The pause before a failed read or a failed change is tried again, if no call does it earlier.
const RETRY: Duration = Duration::from_secs(1);

/// Maximum number of times to read the nodes until they are current together.
const READS: u32 = 10;

/// The membership of a worker, whose node is deleted when this is dropped.
#[derive(Debug)]
struct Membership {
    worker: Arc<ZooKeeperWorker>,
    /// The task that reads the nodes. It must not wait for events of a session that is dropped.
    following: AbortHandle,
}

#[derive(Debug)]
struct ZooKeeperWorker {
    name: String,
    application: Arc<Opened>,
    session: Arc<Session>,
    settings: WorkerSettings,
    table: String,
    /// True once the worker was found to have ended, or is dropped.
    has_ended: AtomicBool,
    state: Mutex<State>,
    /// Notified when the list of workers has changed.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    nodes: Children,
    /// `None` if workers begin without a pause, which is faster.
    vacancies: Option<Vacancies>,
    /// True if the share follows from the nodes.
    is_placed: bool,
    /// The current share.
    share: Option<Share>,
    /// The checksum of the nodes from which it follows.
    list: u32,
    /// The time at which the share changed.
    changed: Instant,
    /// True if the worker may use its share: after a hand-over by all workers, or a pause without a
    /// change of the share, in which the others can notice the same change.
    is_usable: bool,
    /// True if the last call returned a share, which the caller may use until the next call.
    is_used: bool,
    hand_over: HandOver,
    splits_checked: Option<Instant>,
}

/// Joins the workers of an application, which has this stored configuration.
pub(super) async fn join(
    application: Arc<Opened>,
    session: Arc<Session>,
    stored: Application,
) -> Result<Box<dyn WorkerMembership>> {
    let settings = WorkerSettings::from_settings(&stored.settings)?;
    let data = settings.group_size.to_string().into_bytes();
    let keeps_vacancies = !settings.pause.is_zero();
    let name = take_place(&application, &session, &data, keeps_vacancies).await?;
    let state = State {
        nodes: Children::new(application.paths.at(FINDERS)),
        vacancies: keeps_vacancies.then(|| Vacancies::new(&application)),
        is_placed: false,
        share: None,
        list: 0,
        changed: Instant::now(),
        is_usable: false,
        is_used: false,
        hand_over: HandOver::default(),
        splits_checked: None,
    };
    let worker = Arc::new(ZooKeeperWorker {
        name,
        application,
        session,
        settings,
        table: stored.table,
        has_ended: AtomicBool::new(false),
        state: Mutex::new(state),
        changed: Notify::new(),
    });
    let following = tokio::spawn(follow(Arc::downgrade(&worker))).abort_handle();
    let membership = Membership { worker, following };
    // Another application may have got the name meanwhile. If so, the membership is dropped.
    let worker = &membership.worker;
    worker.application.check_exists(&worker.session).await?;
    if keeps_vacancies {
        vacancies::clear(&worker.application, &worker.session, &worker.name).await?;
    }
    Ok(Box::new(membership))
}

/// Creates the node of a worker, and returns its name: that of a worker of this process that has
/// ended, or of a vacancy, so that the order of the workers stays the same; or one with a new
/// number.
async fn take_place(
    application: &Opened,
    session: &Session,
    data: &[u8],
    keeps_vacancies: bool,
) -> Result<String> {
    let folder = application.paths.at(FINDERS);
    let mut again = locked(&application.ended_workers).pop();
    if keeps_vacancies && session.stat(&application.paths.at(VACANCIES)).await?.is_none() {
        application.create_folders(session, &[VACANCIES]).await?;
    }
    for _ in 0..TRIES {
        let shared = require_shared(application, session).await?;
        let vacancy = match again {
            None if keeps_vacancies => vacancies::first(application, session).await?,
            _ => None,
        };
        let taken = vacancy.as_ref().map(|name| vacancies::delete(application, name));
        let mut numbered = session.numbering.lock().await;
        let data = data.to_vec();
        let node = match again.as_ref().or(vacancy.as_ref()) {
            Some(name) => {
                let path = format!("{folder}/{name}");
                numbered.retain(|known| *known != path);
                Change::create(NodeKind::Ephemeral, path, data)
            }
            None => Change::create(NodeKind::Numbered, format!("{folder}/{PREFIX}"), data),
        };
        let changes = [shared].into_iter().chain(taken).chain([node]);
        let created = match application.change(session, changes).await? {
            Outcome::Done(paths) => paths.into_iter().next_back(),
            Outcome::Refused(_, Refusal::Missing) => {
                application.create_folders(session, &[FINDERS]).await?;
                None
            }
            Outcome::Refused(_, Refusal::Exists) => {
                again = None;
                None
            }
            Outcome::Refused(..) => None,
            Outcome::Unknown => {
                delete_unknown(application, session, &numbered).await?;
                None
            }
        };
        if let Some((_, name)) = created.as_ref().and_then(|path| path.rsplit_once('/')) {
            let name = name.to_owned();
            numbered.extend(created);
            return Ok(name);
        }
    }
    Err(application.too_busy())
}

/// Deletes the node of a worker whose creation has no answer. Waits for ZooKeeper as long as the
/// session lasts: the node would keep the share of a worker that does not exist.
async fn delete_unknown(
    application: &Opened,
    session: &Session,
    numbered: &[String],
) -> Result<()> {
    loop {
        match delete_own(session, &application.paths.root, FINDERS, numbered).await {
            Err(error) if error.kind() == ErrorKind::Unavailable && !session.has_ended() => {
                debug!(%error, "the node of a new worker may exist");
                tokio::time::sleep(RETRY).await;
            }
            deleted => return deleted,
        }
    }
}

fn finders<'a>(nodes: &'a Children, vacancies: Option<&'a Vacancies>) -> Finders<'a> {
    let vacancies = vacancies.iter().flat_map(|vacancies| vacancies.nodes.iter());
    Finders::new(nodes.iter(), vacancies)
}

impl State {
    fn finders(&self) -> Finders<'_> {
        finders(&self.nodes, self.vacancies.as_ref())
    }

    fn is_current(&self) -> bool {
        let vacancies = self.vacancies.as_ref();
        self.nodes.is_current() && vacancies.is_none_or(|vacancies| vacancies.nodes.is_current())
    }

    /// Waits for the next event.
    fn next_change(&self) -> impl Future<Output = ()> + Send + use<> {
        let vacancies = self.vacancies.as_ref().map(|vacancies| &vacancies.nodes);
        let nodes = [&self.nodes].into_iter().chain(vacancies);
        select_all(nodes.map(|nodes| nodes.changed().boxed()).collect::<Vec<_>>()).map(drop)
    }
}

impl ZooKeeperWorker {
    /// Records that the worker has ended, and returns the error for its calls.
    fn end(&self) -> Error {
        if !self.has_ended.swap(true, Ordering::AcqRel) {
            locked(&self.application.ended_workers).push(self.name.clone());
            self.changed.notify_one();
        }
        Error::worker_ended()
    }

    /// Reads the nodes that have changed, and sets the share that follows from them.
    async fn update(&self, state: &mut State) -> Result<()> {
        self.read(state).await?;
        if state.is_placed {
            return Ok(());
        }
        let finders = state.finders();
        let share = finders.share(&self.application.paths, &self.name, self.settings.group_size);
        let found = share.clone().unwrap_or_default();
        let list = finders.checksum();
        state.list = list;
        state.is_placed = share.is_ok();
        // A share that stays the same is used without a pause.
        if state.share != found {
            state.share = found;
            state.changed = Instant::now();
            state.is_usable = false;
        }
        share.map(|_| ())
    }

    async fn read(&self, state: &mut State) -> Result<()> {
        if self.session.has_ended() {
            return Err(self.end());
        }
        // A worker that leaves changes both parents in one step. Both events have arrived before
        // the answer to a later read of either, so both are current together.
        for _ in 0..READS {
            if state.is_current() {
                break;
            }
            state.is_placed = false;
            state.nodes.read(&self.session).await?;
            if let Some(vacancies) = &mut state.vacancies {
                vacancies.nodes.read(&self.session).await?;
                if vacancies.nodes.is_missing() {
                    self.application.create_folders(&self.session, &[VACANCIES]).await?;
                }
            }
        }
        if state.nodes.iter().all(|(name, _)| name != self.name) {
            return Err(self.end());
        }
        Ok(())
    }

    /// Returns the share of this worker if it may use it now.
    ///
    /// A worker that has used another share first returns none, so that its caller begins nothing
    /// more. The next call takes part in the hand-over.
    async fn usable_share(&self, state: &mut State) -> Option<Share> {
        state.is_usable |= state.changed.elapsed() >= self.settings.pause;
        if state.share.is_some()
            && (state.is_usable || !state.is_used)
            && let Err(error) = self.hand_over(state).await
        {
            // The pause has the same effect.
            debug!(%error, "notifications are not handed over");
        }
        let share = state.share.clone().filter(|_| state.is_usable);
        state.is_used = share.is_some();
        share
    }

    /// Takes part in the hand-over, and sets whether the share is usable.
    async fn hand_over(&self, state: &mut State) -> Result<()> {
        if self.settings.pause.is_zero() {
            return Ok(());
        }
        let State { nodes, vacancies, hand_over, list, is_usable, .. } = state;
        hand_over.create(&self.application, &self.session, &self.name, *list).await?;
        if !*is_usable {
            let finders = finders(nodes, vacancies.as_ref());
            let complete = hand_over.is_complete(&self.application, &self.session, &finders, *list);
            *is_usable = complete.await?;
        }
        Ok(())
    }

    /// Checks the stored split points, if this worker keeps them and the last check is long ago.
    ///
    /// The proxy may take long to answer. So the lock is free meanwhile, and a change of the list
    /// ends the wait: the others wait for this worker then.
    async fn check_splits(&self) {
        let begun = Instant::now();
        let Some((stored, changed)) = self.due_splits().await else { return };
        let splits = tokio::select! {
            splits = self.application.tables.splits(&self.table) => splits,
            () = changed => return,
        };
        if let Err(error) = self.keep_splits(stored.as_ref(), splits).await {
            // The workers continue with the stored split points, if there are any.
            warn!(%error, "the split points for all workers could not be stored");
        }
        self.state.lock().await.splits_checked = Some(begun);
    }

    /// Returns the stored split points and the next change of the nodes, if this worker has to
    /// check the split points now.
    async fn due_splits(&self) -> Option<(Option<Node>, impl Future<Output = ()> + Send + use<>)> {
        let mut state = self.state.lock().await;
        // The call that reads the share reports the error.
        self.update(&mut state).await.ok()?;
        let finders = state.finders();
        let period = match finders.splits {
            Some(_) => self.settings.splits_period,
            None => RETRY,
        };
        let has_confirmed =
            self.settings.pause.is_zero() || state.hand_over.is_for(&self.name, state.list);
        if finders.splits.is_some() && !(state.is_usable && has_confirmed) {
            // Others wait for this worker.
            return None;
        }
        let is_due = state.splits_checked.is_none_or(|checked| checked.elapsed() >= period);
        (is_due && finders.keeps_splits(&self.name))
            .then(|| (finders.splits.cloned(), state.next_change()))
    }

    /// Deletes the vacancies that have lasted too long. Returns the time until the next one has, or
    /// until a deletion that was not answered has to be tried again.
    ///
    /// Every worker tries: the first by name may be one of Java, which knows no vacancies.
    async fn delete_vacancies(&self, state: &mut State) -> Option<Duration> {
        let vacancies = state.vacancies.as_mut()?;
        let (expired, mut next) = vacancies.expired(self.settings.max_vacancy);
        for name in expired {
            let change = vacancies::delete(&self.application, &name);
            match self.application.change(&self.session, [change]).await {
                Ok(Outcome::Done(_)) => continue,
                Ok(Outcome::Refused(..) | Outcome::Unknown) => {}
                Err(error) => {
                    warn!(%error, "the place of a worker that was stopped is not deleted");
                }
            }
            next = next.into_iter().chain([RETRY]).min();
        }
        next
    }

    /// Stores the split points of the table, unless the same ones are stored.
    async fn keep_splits(&self, stored: Option<&Node>, splits: Result<Vec<Bytes>>) -> Result<()> {
        let path = format!("{}/{SPLITS}", self.application.paths.at(FINDERS));
        let splits = match splits {
            // A table that does not exist has none.
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            splits => splits?,
        };
        let data = splits::encode(&splits);
        // Another program may compress the same split points to other bytes.
        let is_current = stored
            .is_some_and(|stored| splits::decode(&stored.data).ok() == splits::decode(&data).ok());
        if is_current {
            return Ok(());
        }
        debug!(bytes = data.len(), "storing the split points for all workers");
        let change = Change::write(path, data, stored.map(|stored| stored.stat.version));
        // If another worker has changed the node, the next check repeats this.
        self.application.change(&self.session, [change]).await?;
        Ok(())
    }
}

/// Reads the nodes after each event, until the worker has ended or is dropped.
async fn follow(worker: Weak<ZooKeeperWorker>) {
    while let Some(worker) = worker.upgrade() {
        let mut state = worker.state.lock().await;
        let list = state.list;
        let mut updated = worker.update(&mut state).await;
        if updated.is_ok() && state.is_usable {
            // The others wait for this worker, whose share stays the same.
            updated = worker.hand_over(&mut state).await;
        }
        // The caller reads the first list without a notice.
        if state.list != list && list != 0 {
            worker.changed.notify_one();
        }
        let expiry = worker.delete_vacancies(&mut state).await;
        let changed = state.next_change();
        drop(state);
        match updated {
            Ok(()) => {
                drop(worker);
                // Without a vacancy, a wait of any length.
                let _ = timeout(expiry.unwrap_or(Duration::MAX), changed).await;
            }
            Err(_) if worker.has_ended.load(Ordering::Acquire) => return,
            Err(error) => {
                debug!(%error, "this worker does not follow the others");
                drop(worker);
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

#[async_trait]
impl WorkerMembership for Membership {
    async fn share(&self) -> Result<Option<Share>> {
        let worker = &self.worker;
        worker.check_splits().await;
        let mut state = worker.state.lock().await;
        match worker.update(&mut state).await {
            // The caller gives up its share first.
            Err(_) if worker.has_ended.load(Ordering::Acquire) && state.is_used => {
                state.is_used = false;
                return Ok(None);
            }
            updated => updated?,
        }
        Ok(worker.usable_share(&mut state).await)
    }

    async fn changed(&self) {
        self.worker.changed.notified().await;
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.following.abort();
        let worker = &self.worker;
        // Otherwise the task could take this for the loss of the node.
        if worker.has_ended.swap(true, Ordering::AcqRel) {
            // Another worker of this process may have the node by now.
            return;
        }
        let paths = &worker.application.paths;
        let path = format!("{}/{}", paths.at(FINDERS), worker.name);
        let mut node = OwnNode { path: path.clone(), created: None };
        let mut handed_over = None;
        if let Ok(state) = worker.state.try_lock() {
            // Otherwise the node of the hand-over ends with the session.
            let own = state.nodes.iter().find(|(name, _)| *name == worker.name);
            node.created = own.map(|(_, node)| node.stat.created);
            handed_over = state.hand_over.own_path(&worker.application);
        }
        if worker.settings.pause.is_zero() {
            worker.session.delete_later([node.path].into_iter().chain(handed_over).collect());
        } else {
            let place = format!("{}/{}", paths.at(VACANCIES), worker.name);
            let data = worker.settings.group_size.to_string();
            let vacancy = Change::create(NodeKind::Persistent, place, data);
            worker.session.replace_later(node, handed_over, vacancy);
        }
        if let Ok(mut numbered) = worker.session.numbering.try_lock() {
            numbered.retain(|known| *known != path);
        }
    }
}
