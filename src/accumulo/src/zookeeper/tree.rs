//! Several nodes at once: the parents of a node, whole trees, and the own children of a node.

use fluo_table::Result;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::change::{Change, NodeKind, Outcome};
use super::session::{Session, too_busy};
use super::{AT_ONCE, TRIES};

/// Maximum number of nodes to delete in one step.
const DELETED_AT_ONCE: usize = 500;

/// Creates the missing parents of a node, from the root on. If an answer is lost, some may still be
/// missing.
pub(crate) async fn create_parents(session: &Session, path: &str) -> Result<()> {
    let ends = path.match_indices('/').skip(1);
    for (parent, _) in ends.filter_map(|(end, _)| path.split_at_checked(end)) {
        if session.stat(parent).await?.is_none() {
            session.change(&[Change::create(NodeKind::Persistent, parent, [])]).await?;
        }
    }
    Ok(())
}

pub(crate) async fn delete_tree(session: &Session, root: &str) -> Result<()> {
    for _ in 0..TRIES {
        let mut paths = list_tree(session, root).await?;
        if paths.is_empty() {
            return Ok(());
        }
        paths.reverse();
        for some in paths.chunks(DELETED_AT_ONCE) {
            let deletes: Vec<_> = some.iter().map(Change::delete).collect();
            // Another client created or deleted a node, or the answer was lost: list again.
            let Outcome::Done(_) = session.change(&deletes).await? else {
                break;
            };
        }
    }
    Err(too_busy(root))
}

/// Deletes the children of a node of the application at `root` that belong to this session and are
/// not `known`, also those of requests whose answers were lost.
///
/// `known` must have all other children of this session, and none may be created meanwhile: workers
/// hold [`Session::numbering`], and each oracle has its own session. The function waits for each
/// deletion: one in the background could delete a later node of the same name.
pub(crate) async fn delete_own(
    session: &Session,
    root: &str,
    node: &str,
    known: &[String],
) -> Result<()> {
    let parent = format!("{root}{node}");
    for _ in 0..TRIES {
        session.sync(root).await?;
        let mut is_done = true;
        for name in session.children(&parent).await? {
            let path = format!("{parent}/{name}");
            let stat = session.stat(&path).await?;
            if stat.is_some_and(|stat| stat.is_own) && !known.contains(&path) {
                session.change(&[Change::delete(path)]).await?;
                is_done = false;
            }
        }
        if is_done {
            return Ok(());
        }
    }
    Err(too_busy(root))
}

/// Returns the paths of a node and of everything below it, parents first; none if the node does not
/// exist.
pub(crate) async fn list_tree(session: &Session, root: &str) -> Result<Vec<String>> {
    if session.current_stat(root).await?.is_none() {
        return Ok(Vec::new());
    }
    let mut paths = vec![root.to_owned()];
    let mut level = paths.clone();
    while !level.is_empty() {
        let listed = stream::iter(level).map(|path| async move {
            let children = session.children(&path).await?;
            let children = children.iter().map(|child| format!("{path}/{child}"));
            Ok(children.collect::<Vec<_>>())
        });
        let listed: Vec<_> = listed.buffered(AT_ONCE).try_collect().await?;
        level = listed.concat();
        paths.extend_from_slice(&level);
    }
    Ok(paths)
}
