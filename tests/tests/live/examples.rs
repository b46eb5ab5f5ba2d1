//! Runs every example of `accumulo-proxy` like a user. Each one must succeed and print the expected
//! output.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use accumulo_proxy::ProxyClient;
use fluo_cluster::Cluster;

use crate::cli::programs;
use crate::cluster::{client, cluster};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/accumulo-proxy/examples");

/// Examples, each with parts of its output that are always the same.
const PRINTED: [(&str, &[&str]); 9] = [
    (
        "conditional",
        &[
            "bob opens an account: done\nbob opens another: Rejected\n",
            "bob pays 4: done\nbob pays 4 of the same 10 again: Rejected\n",
        ],
    ),
    ("instance", &[" compactions\n", "grep loads: true\n"]),
    (
        "low_level",
        &[
            "new b\"pear\": Rejected\nnew b\"plum\": Accepted\n",
            "all rows: [\"apple\", \"pear\", \"plum\"]\none row: [\"pear\"]\n",
            "rows behind it: [\"plum\"]\n",
        ],
    ),
    (
        "namespaces",
        &["\"example_namespace\"", "NamespaceNotEmpty", "the table's owner: Some(\"search\")\n"],
    ),
    ("scan", &["b\"page12\" = b\"12\"\n3 of three rows\n", "10 rows with page7\n"]),
    (
        "security",
        &["may see: {b\"public\"}\n", "refused: createTable of `example_security`", "allowed\n"],
    ),
    (
        "tables",
        &[
            "split points: {b\"g\", b\"n\", b\"t\"}\nlast row: Some(b\"tomato\")\n",
            "iterators: {\"grep\": {MinorCompaction, MajorCompaction}",
            "merged: {}\nlast row now: Some(b\"apple\")\n",
        ],
    ),
    ("transfer", &["exported, 2 files to copy\n", "imported: 2 entries, split at {b\"m\"}\n"]),
    ("write", &["10002 entries\n"]),
];

#[tokio::test]
async fn every_example_succeeds_and_leaves_no_trace() {
    let (Some(cluster), Some(client)) = (cluster(), client().await) else { return };
    let binaries = programs(&["--package", "accumulo-proxy", "--examples"]).join("examples");
    for (name, printed) in PRINTED {
        let said = run(cluster, &binaries.join(name));
        for part in printed {
            assert!(said.contains(part), "{name} printed\n{said}\nand not\n{part}");
        }
    }
    assert_eq!(left_behind(&client).await, BTreeSet::new());
}

#[test]
fn no_example_is_missing() {
    let named: BTreeSet<_> = PRINTED.map(|(name, _)| name.to_owned()).into();
    let files = Path::new(FOLDER).read_dir().unwrap();
    let present: BTreeSet<_> = files
        .filter_map(|file| {
            let name = file.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".rs").map(str::to_owned)
        })
        .collect();
    assert_eq!(named, present);
}

/// Runs an example, which must succeed, and returns its output.
fn run(cluster: &Cluster, binary: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(binary)
        .env("ACCUMULO_PROXY", cluster.proxy().unwrap().address())
        .env("ACCUMULO_USER", cluster.user())
        .env("ACCUMULO_PASSWORD", cluster.password())
        .env("ACCUMULO_FOLDER", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complained = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.success() && complained.is_empty(),
        "{}:\n{said}{complained}",
        binary.display()
    );
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    said
}

/// Returns the tables, namespaces and users of examples that still exist.
async fn left_behind(client: &ProxyClient) -> BTreeSet<String> {
    let tables = client.table_operations().list().await.unwrap();
    let namespaces = client.namespace_operations().list().await.unwrap();
    let users = client.security_operations().users().await.unwrap();
    let all = tables.into_iter().chain(namespaces).chain(users);
    all.filter(|name| name.starts_with("example_")).collect()
}
