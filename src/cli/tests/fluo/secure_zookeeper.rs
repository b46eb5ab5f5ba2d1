//! The command on a ZooKeeper with TLS and SASL, with the profile on the page on operating.

use std::fs;

use fluo_cluster::{ZooKeeperServer, wanted};

use crate::command::Place;

#[path = "../../../accumulo/tests/secure_zookeeper/files.rs"]
mod files;
#[path = "../../../accumulo/tests/secure_zookeeper/recipe.rs"]
mod recipe;

#[test]
fn a_profile_names_certificates_user_and_password() {
    if !wanted() {
        return;
    }
    let server = ZooKeeperServer::start(files::write).unwrap();
    let (folder, place) = (server.folder(), Place::new());
    let profile = recipe::block("[at.production]", folder);
    place.file("config.toml", profile.replace("zk-1.example.org:2281", &server.secure()));
    let password = folder.join("zookeeper-password");
    let oracle = |arguments: &[&str]| {
        fs::write(&password, recipe::PASSWORD).unwrap();
        let arguments = ["oracle", "--at", "production", "web"].iter().chain(arguments);
        let mut command = place.command(arguments);
        command.env("FLUO_CONFIG", place.path("config.toml"));
        command
    };
    let error = |mut command: std::process::Command| {
        let output = command.output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let found = error(oracle(&[]));
    assert!(found.contains("application `web` does not exist"), "{found}");

    place.file("other", "other\n");
    let other = place.path("other").display().to_string();
    let found = error(oracle(&["--zookeeper-password-file", &other]));
    let rejected = "rejects the authentication of the client as user `fluo`";
    assert!(found.contains(rejected), "{found}");
    let mut command = oracle(&["--zookeeper-user", "fluo"]);
    command.env("FLUO_ZOOKEEPER_PASSWORD", "hidden");
    let found = error(command);
    assert!(found.contains(rejected), "{found}");
    assert!(!found.contains("hidden"), "{found}");

    // The password in the profile is that of another user.
    let found = error(oracle(&["--zookeeper-user", "bob"]));
    let missing = "the password of user `bob` of ZooKeeper is missing";
    assert!(found.contains(missing), "{found}");

    let authorities = folder.join("other.pem").display().to_string();
    let found = error(oracle(&["--zookeeper-tls-ca", &authorities]));
    assert!(found.contains("its certificate is not issued by a given authority"), "{found}");
    let found = error(oracle(&["--zookeeper-tls-certificate", &other]));
    assert!(found.contains("cannot be used: the PEM of the client"), "{found}");
}
