//! The processes of an application that are present, also those of Java.

use fluo_table::Result;
use fluo_table::coordination::{Presence, TransactorId, zookeeper_format};

use super::finders::Finders;
use super::opened::Opened;
use super::worker_settings::WorkerSettings;
use crate::oracle::election;
use crate::paths::{FINDERS, NODES, SERVERS, TIMESTAMPS, VACANCIES};
use crate::zookeeper::{Children, Session};

/// Returns the processes. One that begins or ends meanwhile may be missing.
pub(super) async fn find(application: &Opened, session: &Session) -> Result<Presence> {
    session.sync(&application.paths.root).await?;
    let read = async |parent| {
        let mut children = Children::new(application.paths.at(parent));
        children.read(session).await.map(|()| children)
    };
    // A transactor of Java that has not locked anything yet has only published a timestamp.
    let published = read(TIMESTAMPS).await?;
    let begun = session.children(&application.paths.at(NODES)).await?;
    let begun = begun.iter().filter_map(|name| TransactorId::parse(name));
    let mut presence = Presence::default();
    presence.transactors.extend(begun.map(|id| (id, None)));
    for (name, node) in published.iter() {
        if let Some(id) = TransactorId::parse(name) {
            let path = format!("{TIMESTAMPS}/{name}");
            let oldest = zookeeper_format::read_timestamp(&path, Some(&node.data))?;
            presence.transactors.insert(id, Some(oldest));
        }
    }
    let settings = WorkerSettings::from_settings(&application.settings(session).await?)?;
    let (nodes, vacancies) = (read(FINDERS).await?, read(VACANCIES).await?);
    let finders = Finders::new(nodes.iter(), vacancies.iter());
    let share =
        |name: &str| finders.share(&application.paths, name, settings.group_size).ok().flatten();
    presence.workers = finders.present().map(|name| (name.to_owned(), share(name))).collect();
    presence.oracles = oracles(application, session).await?;
    application.check_exists(session).await?;
    Ok(presence)
}

/// Returns the addresses of the oracles, the leader first.
async fn oracles(application: &Opened, session: &Session) -> Result<Vec<String>> {
    let servers = application.paths.at(SERVERS);
    let names = session.children(&servers).await?;
    let mut found = Vec::new();
    for path in election::sorted(&servers, &names) {
        let node = session.readable_node(&path).await?;
        found.extend(node.and_then(|node| election::address(&node.data)));
    }
    Ok(found)
}
