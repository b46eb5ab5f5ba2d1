//! The answer of a server to a request, with its effect.

use fluo_zookeeper::tree::{self, Changed, Code};
use tokio::sync::oneshot;
use tokio::time::Instant;
use zookeeper_client::{Error, MultiWriteResult, Stat};

use super::ensemble::with;
use super::message::{Answer, OneshotWatcher, Request, Watch};
use super::servers::{catch_up, link};

/// Answers a request.
pub(super) async fn answer(
    session: i64,
    request: Request,
) -> Result<(Answer, OneshotWatcher), Error> {
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
