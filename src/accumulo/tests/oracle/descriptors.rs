//! An oracle in a process with few file descriptors, which is this program again.

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write, stdin};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use fluo_tests::STUCK;

use crate::ground::Ground;

/// Set in the child.
const CHILD: &str = "FLUO_TEST_CHILD";
/// Precedes the address of the oracle in a line of the child.
const LEADS: &str = "leads at ";
const DONE: &str = "could open files";

/// Sends a request, and returns the connection if the oracle answers.
fn connect(address: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(STUCK)).unwrap();
    stream.write_all(b"\0\0\0\x0d\x82\x21\x01\x08isLeader\x00").ok()?;
    let answered = stream.read(&mut [0; 64]).unwrap_or(0);
    (answered > 0).then_some(stream)
}

/// A stranger took all descriptors, so that the oracle had none for ZooKeeper, and logged a warning
/// ten times per second. The soft limit was not raised.
#[test]
fn clients_leave_descriptors_to_the_rest_of_the_process() {
    let limits = "ulimit -n 144 && ulimit -Sn 100";
    let script = format!("{limits} && exec \"$0\" --exact descriptors::child --nocapture");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(env::current_exe().unwrap()).env(CHILD, "");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains(LEADS)).unwrap();
    let (_, address) = line.split_once(LEADS).unwrap();
    let connections: Vec<_> = (0..120).map_while(|_| connect(address)).collect();
    assert_eq!(connections.len(), 144 - 64);
    child.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    assert!(lines.any(|line| line.contains(DONE)));
    assert!(child.wait().unwrap().success());
}

#[expect(clippy::print_stdout, reason = "the parent reads it")]
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    if env::var_os(CHILD).is_none() {
        return;
    }
    let ground = Ground::new().await;
    let oracle = ground.leader(&ground.link).await;
    println!("{LEADS}{}", oracle.leads_at().unwrap());
    stdin().read_line(&mut String::new()).unwrap();
    let files: Vec<_> = (0..16).map(|_| File::open("/dev/null").unwrap()).collect();
    println!("{DONE}");
    drop(files);
    oracle.stop().await;
}
