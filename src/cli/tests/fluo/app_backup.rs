//! `fluo app backup` and `fluo app restore`.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use fluo_zookeeper::ZooKeeper;
use zookeeper_client::{Acls, Client, CreateMode};

use crate::command::{Place, Run, assert_says};

const NODES: [(&str, &[u8]); 8] = [
    ("", b""),
    ("/config", b""),
    ("/config/accumulo.instance.id", b"instance-1"),
    ("/config/accumulo.table", b"pages"),
    ("/config/fluo.application.id", b"1"),
    ("/config/shared.config", b"a=\xc3\xa4"),
    ("/transactor", b""),
    ("/transactor/count", b"\0\0\0\0\0\0\0\x07"),
];
const FILE: &str = r#"{"format":1,"application":"web","nodes":8}
{"path":"","data":""}
{"path":"/config","data":""}
{"path":"/config/accumulo.instance.id","data":"instance-1"}
{"path":"/config/accumulo.table","data":"pages"}
{"path":"/config/fluo.application.id","data":"1"}
{"path":"/config/shared.config","data":"a=\\xc3\\xa4"}
{"path":"/transactor","data":""}
{"path":"/transactor/count","data":"\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07"}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_a_file_of_lines_that_can_be_restored() {
    let (place, zookeeper) = (Place::new(), ZooKeeper::new());
    let link = zookeeper.link();
    let client = Client::connect(&link.address()).await.unwrap();
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    client.create("/fluo", b"", &options).await.unwrap();
    client.mkdir("/accumulo/instances", &options).await.unwrap();
    client.create("/accumulo/instances/fluo", b"instance-1", &options).await.unwrap();
    for (path, data) in NODES {
        client.create(&format!("/fluo/web{path}"), data, &options).await.unwrap();
    }
    let at = format!("--zookeepers {}/fluo", link.address());
    let backup = format!("app backup {at} web web.nodes");
    let fluo = env!("CARGO_BIN_EXE_fluo");
    let limited = format!("trap '' XFSZ; ulimit -f 0; exec {fluo} {backup}");
    let mut sh = Command::new("sh");
    let failed = sh.args(["-c", &limited]).current_dir(place.path(".")).output();
    let failed = Run::of(failed.unwrap()).fails();
    assert_says(&failed, "cannot write the backup web.nodes: File too large");
    assert_eq!(place.names("."), ["tmp"], "neither the file nor a temporary one is left");
    let run = place.runs(&backup);
    assert_eq!(run.stderr, "wrote 8 nodes of application `web` to web.nodes\n");
    assert_eq!(place.read("web.nodes"), FILE);
    let mode = fs::metadata(place.path("web.nodes")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "settings may hold a password");
    assert_says(&place.fails(&backup), "cannot write the backup web.nodes: File exists");

    let restore = |name: &str, file: &str| format!("app restore {at} {name} {file}");
    let exists = "the application `web` is already initialized; open it, or remove it first";
    assert_eq!(place.fails(&restore("web", "web.nodes")), exists);
    for (path, _) in NODES.iter().rev() {
        client.delete(&format!("/fluo/web{path}"), None).await.unwrap();
    }
    let lines = |count: usize| FILE.lines().take(count).collect::<Vec<_>>().join("\n");
    for (content, error) in [
        (lines(8), "this backup has 7 of 8 nodes; use a complete one"),
        (lines(0), "line 1 is not of a backup: the text ends within a value"),
        (lines(3) + "\n{", "line 4 is not of a backup: the text ends within an object"),
        (lines(9).replace("pages", "\\\\x0"), "line 5: at byte 0: a backslash"),
        (lines(9).replace("\"format\":1", "\"format\":2"), "in format 2; update fluo"),
    ] {
        place.file("damaged", content);
        assert_says(
            &place.fails(&restore("web", "damaged")),
            &format!("in damaged: {error}").replace("in damaged: in format", "in format"),
        );
    }
    let error = "in web.nodes: this is a backup of application `web`, not `other`";
    assert_eq!(place.fails(&restore("other", "web.nodes")), error);
    assert_says(&place.fails(&restore("web", "none")), "cannot read the backup none: No such file");
    let endless = place.fails(&restore("web", "/dev/zero"));
    assert_eq!(endless, "cannot read the backup /dev/zero: it is longer than 268,435,456 bytes");
    let run = place.runs(&restore("web", "web.nodes"));
    assert_eq!(run.stderr, "restored 8 nodes of application `web`\n");
    for (path, data) in NODES {
        assert_eq!(zookeeper.data(&format!("/fluo/web{path}")).unwrap(), data, "{path}");
    }
}

#[test]
fn a_directory_is_copied_instead() {
    let place = Place::new();
    let sentence = "an application in an embedded directory, as in embedded:d, is backed up by a copy of the directory";
    let error = place.fails("app backup --at embedded:d web web.nodes");
    assert_eq!(error, sentence);
    assert_eq!(place.fails("app restore --at embedded:d web web.nodes"), sentence);
}
