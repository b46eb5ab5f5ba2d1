//! The clients of a run: they are started, disconnected and replaced.

use std::sync::Arc;

use fluo_engine::{Client, ClientOptions, Worker};
use futures::future::join_all;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::actor::{Actor, Part};
use super::coordination::SimulatedCoordination;
use super::labels;
use super::link::Link;
use super::observing;
use super::table::SimulatedTable;
use super::world::World;

/// A client with its actors.
struct Member {
    link: Arc<Link>,
    actors: Vec<JoinHandle<()>>,
    /// The worker, or `None` if it could not be started.
    worker: Option<Worker>,
}

/// Keeps the configured number of clients running until the run is over, and then waits for the
/// remaining ones.
pub(super) async fn work(world: &World) {
    let mut members = Vec::new();
    let mut came = 0;
    while !world.is_over() {
        members.retain(|member: &Member| !member.link.is_cut());
        for member in &mut members {
            let is_done = member.actors.iter().all(JoinHandle::is_finished);
            if world.is_retired(member.link.client) && is_done {
                member.link.break_off();
            }
        }
        let working = members.iter().filter(|member| !world.is_retired(member.link.client)).count();
        if u64::try_from(working).unwrap_or_default() < world.dials.clients {
            came += 1;
            members.extend(hire(world, came).await);
        }
        sleep(world.dials.rest).await;
    }
    for member in members.into_iter().filter(|member| !member.link.is_cut()) {
        let ended = async {
            join_all(member.actors).await;
            if let Some(worker) = member.worker {
                worker.stop().await;
            }
        };
        // A client may be cut off in its last call, which then never ends.
        if timeout(PATIENCE, ended).await.is_err() && !member.link.is_cut() {
            world.violation(format!("the actors of client {} never end", member.link.client));
        }
    }
}

/// Within this virtual time everything comes to an end once nothing fails any more.
pub(super) const PATIENCE: std::time::Duration = std::time::Duration::from_secs(600);

/// A client at the end of a link of its own.
pub(super) async fn open(
    world: &World,
    number: u64,
    options: ClientOptions,
) -> fluo_table::Result<(Arc<Link>, Client)> {
    over(Link::new(world.clone(), number), options).await
}

/// A client at the end of a link that is denied nothing and sees every label.
pub(super) async fn open_to_everything(
    world: &World,
    number: u64,
    options: ClientOptions,
) -> fluo_table::Result<(Arc<Link>, Client)> {
    let link = Link::of_everything(world.clone(), number, labels::all());
    over(link, options).await
}

async fn over(link: Link, options: ClientOptions) -> fluo_table::Result<(Arc<Link>, Client)> {
    let link = Arc::new(link);
    let table = Arc::new(SimulatedTable { link: link.clone() });
    let coordination = Arc::new(SimulatedCoordination { link: link.clone() });
    let client = Client::open(table, coordination, options).await?;
    Ok((link, client))
}

async fn hire(world: &World, number: u64) -> Option<Member> {
    // A client that is cut off while it begins never answers.
    let opened = timeout(PATIENCE / 100, open(world, number, world.dials.options())).await.ok()?;
    let (link, client) = match opened {
        Ok(opened) => opened,
        Err(error) if world.stands(&error) => return None,
        Err(error) => {
            world.violation(format!("a client cannot be opened: {error}"));
            return None;
        }
    };
    let started = timeout(PATIENCE / 100, observing::start(world, &client)).await;
    let worker = match started {
        Ok(Ok(worker)) => Some(worker),
        Ok(Err(error)) if !world.stands(&error) => {
            world.violation(format!("a worker cannot be started: {error}"));
            None
        }
        Ok(Err(_)) | Err(_) => None,
    };
    let parts = Part::played(&world.dials).into_iter();
    let actors: Vec<_> = parts
        .map(|part| {
            let actor = Actor { world: world.clone(), link: link.clone(), client: client.clone() };
            tokio::spawn(actor.play(part))
        })
        .collect();
    Some(Member { link, actors, worker })
}
