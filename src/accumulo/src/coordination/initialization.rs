//! The nodes of a new application, in the order in which Java creates them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fluo_table::coordination::{Application, zookeeper_format};
use fluo_table::{Error, ErrorKind, Result};

use super::cluster::AccumuloCluster;
use super::locks::lock_recording;
use crate::paths::{CURRENT_FORMAT, FORMAT, Paths, SERVERS};
use crate::zookeeper::{
    Change, Keeper, NodeKind, Outcome, Session, TRIES, create_parents, delete_tree, too_busy,
};

/// The maximum size of the data of one request, in bytes: ZooKeeper accepts 1 MiB.
const MAX_REQUEST_BYTES: usize = 900_000;
/// The size of a change beside the path and the data, with two entries of an access list.
const OVERHEAD: usize = 150;

const FOLDERS: [&str; 4] = ["", "/config", "/oracle", SERVERS];
const ORDER: [&str; 13] = [
    "",
    "/config",
    zookeeper_format::TABLE,
    zookeeper_format::INSTANCE_NAME,
    zookeeper_format::INSTANCE_ID,
    zookeeper_format::ID,
    FORMAT,
    "/oracle",
    SERVERS,
    zookeeper_format::MAX_TIMESTAMP,
    zookeeper_format::HORIZON,
    zookeeper_format::OBSERVERS,
    zookeeper_format::SETTINGS,
];

/// Records a new application, as [`create_application`] does.
pub(super) async fn record(
    keeper: Arc<Keeper>,
    cluster: AccumuloCluster,
    name: String,
    application: Application,
) -> Result<()> {
    let changes = changes(&Paths::new(keeper.chroot(), &name), &cluster, &application)?;
    create_application(&keeper, &name, &application.table, &changes).await
}

/// Creates the nodes of an application, of which the last one marks it as complete, unless there is
/// one with this name or this table. Replaces what an interruption left.
pub(super) async fn create_application(
    keeper: &Keeper,
    name: &str,
    table: &str,
    changes: &[Change],
) -> Result<()> {
    let (chroot, session) = (keeper.chroot(), keeper.session().await?);
    let paths = Paths::new(chroot, name);
    let _lock = lock_recording(&session, chroot).await?;
    if session.current_stat(&paths.mark()).await?.is_some() {
        return Err(Error::application_exists(name));
    }
    check_table(&session, chroot, name, table).await?;
    for _ in 0..TRIES {
        create_parents(&session, &paths.root).await?;
        delete_tree(&session, &paths.root).await?;
        if create(&session, changes).await? {
            return Ok(());
        }
        if session.current_stat(&paths.mark()).await?.is_some() {
            // An earlier attempt, whose answer was lost, or a client of Java, which has no locks.
            let id = paths.at(zookeeper_format::ID);
            let found = session.node(&id).await?.map(|node| node.data);
            let is_own = |change: &Change| match change {
                Change::Create { path, data, .. } => *path == id && found.as_ref() == Some(data),
                _ => false,
            };
            return match changes.iter().any(is_own) {
                true => Ok(()),
                false => Err(Error::application_exists(name)),
            };
        }
    }
    Err(too_busy(&paths.root))
}

/// Creates all nodes. Returns `false` if it is not certain that this succeeded.
async fn create(session: &Session, changes: &[Change]) -> Result<bool> {
    for step in steps(changes) {
        let Outcome::Done(_) = session.change(step).await? else {
            return Ok(false);
        };
    }
    Ok(true)
}

/// Divides changes into steps that are not too large. If there are several, the last change has a
/// step of its own.
fn steps(changes: &[Change]) -> Vec<&[Change]> {
    let size = |changes: &[Change]| changes.iter().map(size_of).sum::<usize>();
    let Some((mark, mut rest)) = changes.split_last().filter(|_| size(changes) > MAX_REQUEST_BYTES)
    else {
        return vec![changes];
    };
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let mut left = MAX_REQUEST_BYTES;
        let fit = rest.iter().map_while(|change| {
            left = left.checked_sub(size_of(change))?;
            Some(())
        });
        let (step, after) = rest.split_at(fit.count().max(1));
        steps.push(step);
        rest = after;
    }
    steps.push(std::slice::from_ref(mark));
    steps
}

fn size_of(change: &Change) -> usize {
    match change {
        Change::Create { path, data, .. } => path.len() + data.len() + OVERHEAD,
        _ => 0,
    }
}

/// Returns the nodes to create, in the order of Java, which has no [`FORMAT`].
fn changes(
    paths: &Paths,
    cluster: &AccumuloCluster,
    application: &Application,
) -> Result<Vec<Change>> {
    let mut stored: BTreeMap<_, _> = zookeeper_format::nodes(application)?.into_iter().collect();
    stored.insert(zookeeper_format::INSTANCE_NAME, cluster.name.clone().into_bytes());
    stored.insert(zookeeper_format::INSTANCE_ID, cluster.id.clone().into_bytes());
    stored.insert(FORMAT, CURRENT_FORMAT.into());
    stored.extend(FOLDERS.map(|folder| (folder, Vec::new())));
    let change = |node| Some(creation(paths, node, stored.remove(node)?));
    Ok(ORDER.into_iter().filter_map(change).collect())
}

/// Returns the change that creates a node of an application.
pub(super) fn creation(paths: &Paths, node: &str, data: Vec<u8>) -> Change {
    // Tablet servers read the horizon without credentials.
    let kind = match node {
        zookeeper_format::HORIZON => NodeKind::Public,
        _ => NodeKind::Persistent,
    };
    Change::Create { kind, path: paths.at(node), data }
}

/// Rejects a table that belongs to another application, complete or not.
async fn check_table(session: &Session, chroot: &str, name: &str, table: &str) -> Result<()> {
    let mut others = session.children(chroot).await?;
    others.retain(|other| other != name);
    others.sort();
    for other in others {
        let paths = Paths::new(chroot, &other);
        let node = session.node(&paths.at(zookeeper_format::TABLE)).await?;
        if node.is_none_or(|node| node.data != table.as_bytes()) {
            continue;
        }
        return Err(match session.stat(&paths.mark()).await? {
            Some(_) => Error::table_in_use(name, table, &other),
            None => Error::new(
                ErrorKind::AlreadyExists,
                format!(
                    "the table `{table}` belongs to the incomplete application `{other}`; remove that one, or choose another table"
                ),
            ),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use fluo_table::Column;
    use fluo_table::coordination::{ObservedColumn, ObserverKind};

    use super::*;

    #[test]
    fn divides_many_nodes_into_steps_with_the_mark_in_the_last_one() {
        let node = |size: usize| Change::create(NodeKind::Persistent, "/a", vec![0; size]);
        let sizes = |sizes: &[usize]| {
            let changes: Vec<_> = sizes.iter().map(|size| node(*size)).collect();
            steps(&changes).iter().map(|step| step.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&[1, 2, 3]), [3]);
        assert_eq!(sizes(&[MAX_REQUEST_BYTES, 1]), [1, 1]);
        assert_eq!(sizes(&[400_000, 400_000, 400_000, 1, 1]), [2, 2, 1]);
        assert_eq!(sizes(&[0; 7_000]), [5_921, 1_078, 1]);
    }

    #[test]
    fn creates_the_nodes_in_the_order_of_java_and_its_own_format() {
        let cluster = AccumuloCluster {
            name: "fluo".to_owned(),
            id: "64127359-df29-426f-ab0c-77ddd6257c18".to_owned(),
        };
        let observed = ObservedColumn::new(Column::new("s", "strong"), ObserverKind::Strong, "");
        let id = "5f181dad-19aa-4f22-9200-6dbb680a741c";
        let application = Application::new(id, "t_real").observe(observed).set("a", "1");
        let changes = changes(&Paths::new("/fluo", "real"), &cluster, &application).unwrap();
        let nodes = changes.iter().map(|change| match change {
            Change::Create { kind, path, data } => {
                assert_eq!(*kind == NodeKind::Public, path.ends_with("/gc-timestamp"));
                (path.as_str(), std::str::from_utf8(data).unwrap())
            }
            other => panic!("{other:?}"),
        });
        let observers = r#"{"obsProviderClass":"rust","observedColumns":[{"fam":[115],"qual":[115,116,114,111,110,103],"vis":[],"notificationType":"STRONG"}]}"#;
        assert_eq!(
            nodes.collect::<Vec<_>>(),
            [
                ("/fluo/real", ""),
                ("/fluo/real/config", ""),
                ("/fluo/real/config/accumulo.table", "t_real"),
                ("/fluo/real/config/accumulo.instance.name", "fluo"),
                ("/fluo/real/config/accumulo.instance.id", "64127359-df29-426f-ab0c-77ddd6257c18"),
                ("/fluo/real/config/fluo.application.id", id),
                ("/fluo/real/config/format", "1"),
                ("/fluo/real/oracle", ""),
                ("/fluo/real/oracle/server", ""),
                ("/fluo/real/oracle/max-timestamp", "2"),
                ("/fluo/real/oracle/gc-timestamp", "0"),
                ("/fluo/real/config/fluo.observers2", observers),
                ("/fluo/real/config/shared.config", "#Shared java props\nfluo.app.a=1\n"),
            ]
        );
    }
}
