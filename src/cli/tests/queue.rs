//! `fluo queue`: the queues of an application, their backlog and their dead letters.

#![cfg(test)]

mod command;

use command::Place;
use fluo::{InstanceExt, Observers, Transaction, Worker, WorkerOptions};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::{ApplicationRecipes, Recipes};

fn words() -> CombineQueue<String, u8> {
    let words = CombineQueue::new("wc", Sum).unwrap();
    words.buckets(1).unwrap()
}

/// Opens the application in the directory, creates it first if it does not exist, and updates it.
async fn update(place: &Place, updates: &[(&str, u8)], runs_worker: bool) {
    let words = words();
    let fluo = fluo_embedded::open(place.path("d")).unwrap();
    let observers = words.observe(Observers::new()).unwrap();
    let web = fluo.application("web").observers(&observers);
    let web = web.recipes(&Recipes::new().with(&words).unwrap());
    let client = web.open_or_create().await.unwrap();
    for (key, number) in updates {
        let add = async |tx: Transaction| words.add(&tx, *key, *number);
        client.run(add).await.unwrap();
    }
    if runs_worker {
        let worker = Worker::start(&client, observers, WorkerOptions::new())
            .await
            .unwrap();
        client.wait_until_idle().await.unwrap();
        worker.stop().await;
    }
}

#[tokio::test]
async fn lists_the_backlog_and_the_dead_letters() {
    let place = Place::new();
    update(&place, &[("cat", 200), ("dog", 1)], true).await;
    update(&place, &[("cat", 200)], true).await;
    update(&place, &[("dog", 2), ("fish", 3)], false).await;

    let list = place.fluo("queue list --at embedded:d web").succeeds();
    let fields: Vec<_> = list.text().trim_end().split('\t').collect();
    assert_eq!(fields[..4], ["wc", "combine", "1", "2"]);
    assert_eq!(fields[6], "1", "dead letters");
    assert_eq!(list.stderr, "1 queue\n");
    let json = place
        .fluo("queue list --json --at embedded:d web")
        .succeeds();
    assert!(json.text().contains(r#""entries":2"#), "{}", json.text());
    let show = place.fluo("queue show --at embedded:d web wc").succeeds();
    assert!(show.text().starts_with("0\t2\t"), "{}", show.text());
    assert_eq!(show.stderr, "entries wait in 1 of 1 bucket\n");
    let failed = place.fluo("queue failed --at embedded:d web wc").succeeds();
    let fields: Vec<_> = failed.text().trim_end().split('\t').collect();
    assert_eq!((fields[0], fields[2]), ("cat", "200"));
    assert_eq!(fields[3], "the sum of 200 and 200 does not fit its type");
}

#[tokio::test]
async fn requeues_and_discards_dead_letters_of_a_key() {
    let place = Place::new();
    update(&place, &[("cat", 200)], true).await;
    update(&place, &[("cat", 200)], true).await;
    let retry = place
        .fluo("queue retry --at embedded:d web wc cat")
        .succeeds();
    assert_eq!(retry.stderr, "requeued 1 dead letter\n");
    let list = place.fluo("queue list --at embedded:d web").succeeds();
    assert!(
        list.text().starts_with("wc\tcombine\t1\t1\t"),
        "{}",
        list.text()
    );
    // It is as large as before.
    update(&place, &[], true).await;
    let none = place.fluo("queue discard --at embedded:d web wc dog");
    assert_eq!(
        none.fails(),
        "queue `wc` has no dead letter of the key `dog`; `fluo queue failed` lists all"
    );
    let discard = place
        .fluo("queue discard --at embedded:d web wc --all")
        .succeeds();
    assert_eq!(discard.stderr, "discarded 1 dead letter\n");
    let list = place.fluo("queue list --at embedded:d web").succeeds();
    assert_eq!(list.text(), "wc\tcombine\t1\t0\t0\t-\t0\n");
}

#[tokio::test]
async fn names_the_queues_of_the_application() {
    let place = Place::new();
    update(&place, &[], false).await;
    let unknown = place.fluo("queue show --at embedded:d web eq");
    assert_eq!(
        unknown.fails(),
        "application `web` has no queue `eq`; its queues: `wc`"
    );
    place.fluo("app init --at embedded:d plain").succeeds();
    let unknown = place.fluo("queue failed --at embedded:d plain eq");
    assert_eq!(
        unknown.fails(),
        "application `plain` has no queue `eq`, and no other one"
    );
}
