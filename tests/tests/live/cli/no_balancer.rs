//! Servers without the class of a balancer, like servers of another version. The servers are real;
//! a relay changes their answers about classes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use fluo_accumulo::AccumuloTables;
use fluo_table::balancer::group_balancers;
use fluo_table::{Bytes, TableAdmin};

use super::failures::failure;
use super::{Fluo, fluo, name};

/// Call that asks the servers whether they load a class.
const CALL: &[u8] = b"testTableClassLoad";
/// End of an answer in Thrift's compact protocol: a value, which is a field of type true or false
/// with the number 0, and the end.
const TRUE: [u8; 3] = [1, 0, 0];
const FALSE: [u8; 3] = [2, 0, 0];

/// Real servers that seem to load one class or none.
struct Servers {
    address: String,
    answers: mpsc::Receiver<bool>,
}

impl Servers {
    fn that_load(only: Option<String>) -> Self {
        let upstream = crate::cluster::cluster()
            .unwrap()
            .proxy()
            .unwrap()
            .address();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (answered, answers) = mpsc::channel();
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&upstream).unwrap());
                let (requests, replies) =
                    (client.try_clone().unwrap(), server.try_clone().unwrap());
                // A connection has one call at a time.
                let loads = Arc::new(AtomicBool::new(false));
                let (only, asked) = (only.clone(), Arc::clone(&loads));
                thread::spawn(move || {
                    pass_on(requests, server, |frame| {
                        let is_loaded = |class: &String| has(frame, class.as_bytes());
                        asked.store(only.as_ref().is_some_and(is_loaded), Ordering::SeqCst);
                    });
                });
                let answered = answered.clone();
                thread::spawn(move || {
                    pass_on(replies, client, |frame| {
                        if has(frame, CALL) {
                            let loads = loads.load(Ordering::SeqCst);
                            answer(frame, loads);
                            // The receiver no longer exists after the test.
                            let _ = answered.send(loads);
                        }
                    });
                });
            }
        });
        Self { address, answers }
    }

    /// Returns the command, connected to these servers.
    fn fluo(&self) -> Fluo {
        let cluster = crate::cluster::cluster().unwrap();
        let fluo = Fluo::new(&self.address, cluster.user(), cluster.password());
        fluo.spec(&["p"], 4);
        fluo
    }

    /// Returns the answers since the previous call.
    fn answered(&self) -> Vec<bool> {
        self.answers.try_iter().collect()
    }
}

fn has(frame: &[u8], part: &[u8]) -> bool {
    frame.windows(part.len()).any(|window| window == part)
}

/// Replaces the answer at the end of a frame.
fn answer(frame: &mut [u8], loads: bool) {
    let (_, value) = frame.split_last_chunk_mut().unwrap();
    assert!([TRUE, FALSE].contains(value), "no answer: {value:?}");
    *value = if loads { TRUE } else { FALSE };
}

/// Passes frames on, after `look` has inspected and changed each of them.
fn pass_on(mut from: TcpStream, mut to: TcpStream, mut look: impl FnMut(&mut [u8])) {
    let mut length = [0; 4];
    while from.read_exact(&mut length).is_ok() {
        let mut frame = vec![0; u32::from_be_bytes(length).try_into().unwrap()];
        if from.read_exact(&mut frame).is_err() {
            break;
        }
        look(&mut frame);
        if to.write_all(&[&length[..], &frame].concat()).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

/// Returns everything that an apply could change.
async fn state(
    tables: &AccumuloTables,
    table: &str,
) -> (BTreeSet<Bytes>, BTreeMap<String, String>) {
    let splits = tables.splits(table).await.unwrap();
    let properties = tables.properties(table).await.unwrap();
    (splits.into_iter().collect(), properties)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_servers_without_a_group_balancer_and_changes_nothing() {
    let Some(root) = fluo() else { return };
    let tables = crate::cluster::tables().await.unwrap();
    let table = name("cli_no_balancer");
    root.run(&format!("create {table}")).succeeds();
    let before = state(&tables, &table).await;
    let servers = Servers::that_load(None);
    let fluo = servers.fluo();
    let probes: Vec<_> = group_balancers().map(|(probe, _)| probe).collect();
    let probes = probes.join(" and ");
    for command in [
        "plan",
        "plan --json",
        "apply",
        "apply --json",
        "apply --prune",
    ] {
        assert_eq!(
            failure(&fluo, &format!("{command} --spec s.toml {table}")),
            format!(
                "the servers of table `{table}` load no group balancer; they were asked for {probes}"
            ),
            "{command}"
        );
        assert_eq!(servers.answered(), [false, false], "{command}");
    }

    // A plan from before, when the servers had the class.
    root.spec(&["p"], 4);
    let planned = root
        .run(&format!("plan --spec s.toml --json {table}"))
        .succeeds();
    fluo.file("plan.json", &planned.stdout);
    let sets = planned.json();
    let class = &sets["properties"].as_array().unwrap().last().unwrap()["after"];
    let class = class.as_str().unwrap();
    let (probe, _) = group_balancers().find(|(_, it)| it == class).unwrap();
    assert_eq!(
        failure(&fluo, "apply plan.json"),
        format!(
            "the plan sets property table.balancer of table `{table}` to `{class}`, which the servers do not load (they \
             were asked for {probe}); make a new plan"
        )
    );
    assert_eq!(servers.answered(), [false]);

    let sentence = "the servers load no group balancer";
    let verify = format!("verify --spec s.toml {table}");
    let run = fluo.run(&verify).differs();
    assert!(
        run.stdout.contains(&format!("  ! {sentence}\n")),
        "{}",
        run.stdout
    );
    let verdict = fluo.run(&format!("{verify} --json")).differs().json();
    let mut differences = verdict["differences"].as_array().unwrap().iter();
    assert!(
        differences.any(|difference| difference["sentence"] == sentence),
        "{verdict:#}"
    );

    assert_eq!(state(&tables, &table).await, before);
    root.run(&format!("delete --yes {table}")).succeeds();
}

/// The servers of the cluster have only the older package, so the newer one is only planned.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plans_the_package_that_the_servers_load() {
    let Some(root) = fluo() else { return };
    let table = name("cli_package");
    root.run(&format!("create {table}")).succeeds();
    for (package, asked) in group_balancers().zip([vec![true], vec![false, true]]) {
        let (probe, class) = package;
        let servers = Servers::that_load(Some(probe));
        let plan = format!("plan --spec s.toml --json {table}");
        let plan = servers.fluo().run(&plan).succeeds().json();
        let change = plan["properties"].as_array().unwrap().last().unwrap();
        assert_eq!(change["after"], class, "{plan:#}");
        assert_eq!(servers.answered(), asked);
    }
    root.run(&format!("delete --yes {table}")).succeeds();
}
