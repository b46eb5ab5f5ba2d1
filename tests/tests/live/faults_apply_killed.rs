//! A command that applies a spec is killed at many moments. The next run finishes, no superfluous
//! split point is left, and every row is there.

use std::io::{BufRead, BufReader};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use fluo_accumulo::AccumuloTables;
use fluo_table::{Bytes, TableAdmin, Versions};
use tokio::time::sleep;

use crate::cli::{Fluo, assert_says, fluo};
use crate::faults_ground::{blocking, hashed_rows_are_there, put_hashed_rows};
use crate::faults_proxy_apply::until_more_splits;
use crate::ground::fresh_name;

const TABLETS: usize = 60;
const STRAYS: [&str; 2] = ["a", "b"];
/// Number of steps: split points, pattern, default group, balancer, and the removal of superfluous
/// split points.
const STEPS: usize = 5;

/// The moment of the kill.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// After this number of steps was reported.
    Done(usize),
    /// When some of the split points exist, but not all.
    Halfway,
    /// After this time since the start.
    After(Duration),
}

fn moments() -> impl Iterator<Item = Moment> {
    let times = [200, 500].map(|millis| Moment::After(Duration::from_millis(millis)));
    let done = (1..STEPS).map(Moment::Done);
    done.chain([Moment::Halfway]).chain(times)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_apply_is_finished_by_the_next() {
    let Some(tables) = crate::cluster::tables().await else { return };
    let fluo = blocking(fluo).unwrap();
    fluo.spec(&["p"], TABLETS);
    let mut killed = 0;
    for moment in moments() {
        let table = fresh_name("faults_killed");
        tables.create_table(&table, Versions::default()).await.unwrap();
        let strays = STRAYS.map(Bytes::from).into();
        tables.add_splits(&table, &strays).await.unwrap();
        put_hashed_rows(&tables, &table).await;

        let mut child = start(&fluo, &table);
        wait(moment, &mut child, &tables, &table).await;
        child.kill().unwrap();
        let status = blocking(|| child.wait()).unwrap();
        killed += usize::from(is_killed(status));
        blocking(|| finish(&fluo, &table, moment));
        hashed_rows_are_there(&tables, &table).await;
        tables.delete_table(&table).await.unwrap();
    }
    assert!(killed > STEPS, "only {killed} commands were killed before they ended");
}

fn start(fluo: &Fluo, table: &str) -> Child {
    let mut command = fluo.command(&format!("apply --prune --yes --no-wait --spec s.toml {table}"));
    command.spawn().unwrap()
}

async fn wait(moment: Moment, child: &mut Child, tables: &AccumuloTables, table: &str) {
    match moment {
        Moment::Done(steps) => {
            let said = BufReader::new(child.stderr.take().unwrap());
            let done = blocking(|| {
                let lines = said.lines().map_while(Result::ok);
                lines.filter(|line| line.starts_with("done: ")).take(steps).count()
            });
            assert_eq!(done, steps);
        }
        Moment::Halfway => {
            until_more_splits(tables, table, STRAYS.len()).await;
        }
        Moment::After(time) => sleep(time).await,
    }
}

/// Returns `false` if the command had already finished.
fn is_killed(status: ExitStatus) -> bool {
    !status.success()
}

/// Applies the spec to the interrupted table, and checks that another apply then has nothing to do.
fn finish(fluo: &Fluo, table: &str, moment: Moment) {
    let apply = format!("apply --prune --yes --no-wait --spec s.toml {table}");
    fluo.run(&apply).succeeds();
    let again = fluo.run(&apply).succeeds();
    assert_says(&again.stderr, &format!("nothing to do: table `{table}` already matches"));
    let verdict = fluo.run(&format!("verify --json --spec s.toml {table}"));
    let differences = verdict.json()["differences"].clone();
    let differences: Vec<_> = differences
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|difference| difference["sentence"].as_str())
        .filter(|difference| !difference.starts_with("group "))
        .collect();
    assert!(differences.is_empty(), "{moment:?}: {differences:?}");
}
