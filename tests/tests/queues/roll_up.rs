//! Seven queues that feed each other: counts of triples, of pairs and of single parts.

use std::collections::BTreeMap;

use fluo_engine::{ObserverError, Result, Transaction};
use fluo_recipes::combine_queue::{Change, CombineQueue, Sum};
use futures::TryStreamExt;

use crate::fixture::App;

type Counts = CombineQueue<String, i64>;

fn counts(id: &str) -> Counts {
    Counts::new(id, Sum).unwrap().buckets(7).unwrap()
}

/// Returns an observer that adds the change of a key to shorter keys of other queues.
fn feed(
    targets: Vec<(Counts, Vec<usize>)>,
) -> impl Fn(Transaction, Vec<Change<String, i64>>) -> std::future::Ready<Result<(), ObserverError>>
{
    move |tx, changes| {
        let add = |(target, parts): &(Counts, Vec<usize>)| {
            let mut batch = target.batch();
            for change in &changes {
                let names: Vec<_> = change.key.split(':').collect();
                let key: Vec<_> = parts.iter().map(|part| names[*part]).collect();
                batch.add(
                    key.join(":"),
                    change.new.unwrap_or(0) - change.old.unwrap_or(0),
                )?;
            }
            batch.write(&tx)
        };
        std::future::ready(targets.iter().try_for_each(add).map_err(Into::into))
    }
}

#[tokio::test]
async fn counts_in_all_dimensions() {
    let [xyt, xy, xt, yt, x, y, t] = ["xyt", "xy", "xt", "yt", "x", "y", "t"].map(counts);
    let to_pairs = vec![
        (xt.clone(), vec![0, 2]),
        (yt.clone(), vec![1, 2]),
        (xy.clone(), vec![0, 1]),
    ];
    let to_x_and_y = vec![(x.clone(), vec![0]), (y.clone(), vec![1])];
    let to_t = vec![(t.clone(), vec![1])];
    let xyt = xyt.on_changes(feed(to_pairs));
    let xy = xy.on_changes(feed(to_x_and_y));
    let xt = xt.on_changes(feed(to_t));
    let app = App::start(&[&x, &y, &t, &xy, &xt, &yt, &xyt]).await;
    let queues = [&x, &y, &t, &xy, &xt, &yt, &xyt];

    let loads = [
        "5:4:23 5:5:23 7:5:23 9:2:23 5:4:29 6:6:29 7:5:29 9:3:29 3:3:31",
        "7:5:23 6:6:7 4:3:31 9:1:23 1:2:3",
    ];
    let expected = [
        [
            "3=1 5=3 6=1 7=2 9=2",
            "2=1 3=2 4=2 5=3 6=1",
            "23=4 29=4 31=1",
            "3:3=1 5:4=2 5:5=1 6:6=1 7:5=2 9:2=1 9:3=1",
            "3:31=1 5:23=2 5:29=1 6:29=1 7:23=1 7:29=1 9:23=1 9:29=1",
            "2:23=1 3:29=1 3:31=1 4:23=1 4:29=1 5:23=2 5:29=1 6:29=1",
            "3:3:31=1 5:4:23=1 5:4:29=1 5:5:23=1 6:6:29=1 7:5:23=1 7:5:29=1 9:2:23=1 9:3:29=1",
        ],
        [
            "1=1 3=1 4=1 5=3 6=2 7=3 9=3",
            "1=1 2=2 3=3 4=2 5=4 6=2",
            "23=6 29=4 3=1 31=2 7=1",
            "1:2=1 3:3=1 4:3=1 5:4=2 5:5=1 6:6=2 7:5=3 9:1=1 9:2=1 9:3=1",
            "1:3=1 3:31=1 4:31=1 5:23=2 5:29=1 6:29=1 6:7=1 7:23=2 7:29=1 9:23=2 9:29=1",
            "1:23=1 2:23=1 2:3=1 3:29=1 3:31=2 4:23=1 4:29=1 5:23=3 5:29=1 6:29=1 6:7=1",
            "1:2:3=1 3:3:31=1 4:3:31=1 5:4:23=1 5:4:29=1 5:5:23=1 6:6:29=1 6:6:7=1 7:5:23=2 7:5:29=1 9:1:23=1 9:2:23=1 9:3:29=1",
        ],
    ];
    for (load, expected) in loads.into_iter().zip(expected) {
        let updates = load.split(' ').map(|key| (key, 1));
        app.client
            .run(async |tx| xyt.extend(&tx, updates.clone()))
            .await
            .unwrap();
        app.settle().await;
        let snapshot = app.client.snapshot().await.unwrap();
        for (queue, expected) in queues.into_iter().zip(expected) {
            let all: BTreeMap<String, i64> = queue.iter(&snapshot).try_collect().await.unwrap();
            let texts: Vec<_> = all
                .iter()
                .map(|(key, count)| format!("{key}={count}"))
                .collect();
            assert_eq!(texts.join(" "), expected, "{}", queue.id());
        }
    }
    app.stop().await;
}
