//! A command that is refused, fails or is interrupted reports the reason and the state of the
//! table.

use std::process::{Child, Command};
use std::time::Duration;

use accumulo_proxy::{ProxyClient, TablePermission};

use super::gate::Gate;
use super::{Fluo, ROWS, Run, assert_says, fluo, name};

const PASSWORD: &str = "correct-horse-battery";
const WRITE: &str = "updateAndFlush";
const SET: &str = "setTableProperty";
/// Rows that pass the gate, and rows that wait at it. The first row and two batches pass. The last
/// batch is shorter, and may reach the gate before another one.
const COUNTS: [(&str, &str); 2] = [("2,001 rows", "2,207"), ("1,208 rows", "3,000")];
/// Longer than a permission takes to reach the servers, and an answer to be read.
const A_MOMENT: Duration = Duration::from_secs(5);

/// A table that matches a spec of 20 tablets, and a user without permissions on it.
struct Ground {
    root: Fluo,
    client: ProxyClient,
    table: String,
    user: String,
}

async fn ground() -> Option<Ground> {
    let root = fluo()?;
    let client = crate::cluster::client().await?;
    let (user, table) = (name("guest"), name("cli_stopped"));
    let security = client.security_operations();
    security.create_user(&user, PASSWORD).await.unwrap();
    root.spec(&["p"], 20);
    root.run(&format!("create {table}")).succeeds();
    root.run(&format!("apply --spec s.toml {table}")).succeeds();
    let ground = Ground { root, client, table, user };
    Some(ground)
}

impl Ground {
    /// Returns the command of the user without permissions, through a gate if there is one.
    fn guest(&self, gate: Option<&Gate>) -> Fluo {
        let address = gate.map_or(&*self.client.options().address, Gate::address);
        let guest = Fluo::new(address, &self.user, PASSWORD);
        guest.spec(&["p"], 20);
        guest.file("rows.txt", ROWS);
        guest
    }

    async fn grant(&self, permission: TablePermission) {
        let security = self.client.security_operations();
        security.grant_table_permission(&self.user, &self.table, permission).await.unwrap();
        // The permission reaches the servers after a moment.
        tokio::time::sleep(A_MOMENT).await;
    }

    async fn revoke(&self, permission: TablePermission) {
        let security = self.client.security_operations();
        security.revoke_table_permission(&self.user, &self.table, permission).await.unwrap();
    }

    fn gate(&self, call: &'static str, passing: usize) -> Gate {
        Gate::before(&self.client.options().address, call, passing)
    }

    /// Starts a load of the user, with the permission to write, which waits at the gate after some
    /// batches.
    async fn load(&self) -> (Fluo, Gate, Child) {
        self.grant(TablePermission::Write).await;
        let gate = self.gate(WRITE, 3);
        let guest = self.guest(Some(&gate));
        let arguments = format!("load --prefix p {} rows.txt", self.table);
        let child = guest.command(&arguments).spawn().unwrap();
        gate.wait_for_all(3);
        // In this time the command reads the answers.
        tokio::time::sleep(A_MOMENT).await;
        (guest, gate, child)
    }

    /// Starts an apply of the user, with the permission to alter an empty table of one tablet,
    /// which waits at the gate at its first property.
    async fn apply(&self) -> (Fluo, Gate, Child) {
        self.root.run(&format!("delete --yes {}", self.table));
        self.root.run(&format!("create {}", self.table)).succeeds();
        self.grant(TablePermission::AlterTable).await;
        let gate = self.gate(SET, 0);
        let guest = self.guest(Some(&gate));
        let arguments = format!("apply --spec s.toml --no-wait {}", self.table);
        let child = guest.command(&arguments).spawn().unwrap();
        gate.wait();
        (guest, gate, child)
    }

    async fn end(self) {
        self.root.run(&format!("delete --yes {}", self.table));
        let security = self.client.security_operations();
        security.drop_user(&self.user).await.unwrap();
    }
}

/// Checks that a text begins with a message that has one of the [`COUNTS`].
#[track_caller]
fn assert_counts(said: &str, message: impl Fn(&str, &str) -> String) {
    let mut messages = COUNTS.map(|(passed, waiting)| message(passed, waiting)).into_iter();
    assert!(messages.any(|message| said.starts_with(&message)), "{said}");
}

fn ended(fluo: &Fluo, child: Child) -> Run {
    fluo.judge(child.wait_with_output().unwrap())
}

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(sent.success());
}

/// Regression test: the message said that thousands of rows may have been written, but none could
/// be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_without_permission_writes_nothing_and_names_the_permission() {
    let Some(ground) = ground().await else { return };
    let (table, user) = (&ground.table, &ground.user);
    let guest = ground.guest(None);
    let message = guest.run(&format!("load --prefix p {table} rows.txt")).fails();
    let expected = format!(
        "the load stopped after 0 rows: user `{user}` lacks the permission WRITE on table `{table}` \
         (updateAndFlush of `{table}` at "
    );
    assert!(message.starts_with(&expected), "{message}");
    assert!(!message.contains("may have"), "{message}");
    let shown = ground.root.run(&format!("show --json {table}")).succeeds().json();
    assert_eq!(shown["entries"], 0);
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_that_loses_its_permission_reports_it_and_the_uncertain_rows() {
    let Some(ground) = ground().await else { return };
    let (guest, gate, child) = ground.load().await;
    ground.revoke(TablePermission::Write).await;
    tokio::time::sleep(A_MOMENT).await;
    gate.open();
    let message = ended(&guest, child).fails();
    assert_counts(&message, |passed, waiting| {
        format!(
            "the load stopped after {passed} and perhaps {waiting} more; loading again is safe: "
        )
    });
    assert_says(
        &message,
        &format!(
            ": user `{}` lacks the permission WRITE on table `{}` (",
            ground.user, ground.table
        ),
    );
    assert_says(
        &message,
        "; each server checks permissions itself, so other servers may have written some of the rows",
    );
    ground.end().await;
}

/// Regression test: the reported reason was a count of exceptions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_reports_the_deletion_of_its_table() {
    let Some(ground) = ground().await else { return };
    let table = &ground.table;
    let (guest, gate, child) = ground.load().await;
    ground.root.run(&format!("delete --yes {table}")).succeeds();
    gate.open();
    let message = ended(&guest, child).fails();
    assert_counts(&message, |passed, _| {
        format!(
            "the load stopped after {passed}; loading again is safe: table `{table}` was deleted during the call, together with \
             its rows ("
        )
    });
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_load_reports_its_progress() {
    let Some(ground) = ground().await else { return };
    for (by, code) in [("INT", 130), ("TERM", 143)] {
        let (guest, _gate, child) = ground.load().await;
        signal(&child, by);
        let run = ended(&guest, child).ends_with_code(code);
        assert_counts(&run.stderr, |passed, waiting| {
            format!(
                "interrupted: loading table `{}` stopped after {passed} and perhaps {waiting} more; loading again is safe\n",
                ground.table
            )
        });
    }
    ground.end().await;
}

/// Regression test: the message said that everything was undone, that the table was as before, and
/// that it could not be read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_reports_the_deletion_of_its_table_and_undoes_nothing() {
    let Some(ground) = ground().await else { return };
    let table = &ground.table;
    let (guest, gate, child) = ground.apply().await;
    ground.root.run(&format!("delete --yes {table}")).succeeds();
    gate.open();
    let run = ended(&guest, child).ends_with_code(2);
    assert_says(&run.stderr, "\nerror: step 2 of 4 failed (set ");
    assert_says(
        &run.stderr,
        &format!(
            "; table `{table}` no longer exists, so there is nothing to undo (if it was renamed, "
        ),
    );
    assert!(!run.stderr.contains("undone"), "{}", run.stderr);
    assert!(!run.stderr.contains("undoing"), "{}", run.stderr);
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_without_permission_changes_nothing_and_undoes_nothing() {
    let Some(ground) = ground().await else { return };
    let table = &ground.table;
    let guest = ground.guest(None);
    guest.spec(&["p", "q"], 20);
    let run = guest.run(&format!("apply --spec s.toml {table}")).ends_with_code(2);
    assert_says(&run.stderr, "PERMISSION_DENIED");
    let end = format!("; nothing was changed on table `{table}`\n");
    assert!(run.stderr.ends_with(&end), "{}", run.stderr);
    assert!(!run.stderr.contains("und"), "{}", run.stderr);
    ground.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_apply_reports_its_progress_and_can_be_finished() {
    let Some(ground) = ground().await else { return };
    for (by, code) in [("INT", 130), ("TERM", 143)] {
        let (guest, gate, child) = ground.apply().await;
        signal(&child, by);
        let run = ended(&guest, child).ends_with_code(code);
        let told = run.stderr.lines().next_back().unwrap();
        let begin = format!(
            "interrupted: 1 of 4 steps are done on table `{}`, and perhaps: set table.custom.balancer.group.regex.pattern",
            ground.table
        );
        assert_says(told, &begin);
        assert!(told.ends_with("; apply again to continue"), "{told}");
        gate.open();
        let again = format!("apply --spec s.toml --no-wait {}", ground.table);
        guest.run(&again).succeeds();
    }
    ground.end().await;
}

/// Regression test: the command ended with an error, and reported none of its findings.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_verdict_without_permission_to_read_has_all_but_the_rows() {
    let Some(ground) = ground().await else { return };
    let (table, user) = (&ground.table, &ground.user);
    let guest = ground.guest(None);
    let run = guest.run(&format!("verify --spec s.toml {table}")).differs();
    assert_says(&run.stdout, "20 wanted, 0 missing, 0 extra");
    assert_says(
        &run.stdout,
        &format!(
            "\n  ! the rows could not be counted: user `{user}` lacks the permission READ on table `{table}` (",
        ),
    );
    assert_says(&run.stdout, "); --rows skip leaves them out\n");
    assert_says(&run.stdout, &format!("NOT OK: 1 difference on table {table}."));
    guest.run(&format!("verify --spec s.toml --rows skip {table}")).succeeds();
    ground.end().await;
}

/// Checks the permissions of each command that the page about a real Accumulo lists.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_documented_permissions_are_necessary_and_sufficient() {
    let Some(ground) = ground().await else { return };
    let (table, guest) = (&ground.table, ground.guest(None));
    guest.file("m.toml", super::designs::AFTER);
    let [show, advise] = [format!("show --json {table}"), format!("--rows 100 {table}")];
    let create = format!("load --prefix p --create-if-absent {table} rows.txt");
    let migrate = format!("migrate --spec m.toml {table}");
    let lacks = |message: &str, permission: &str| {
        assert_says(
            message,
            &format!(
                "user `{}` lacks the permission {permission} on table `{table}` (",
                ground.user
            ),
        );
    };
    let note = "note: this user may not flush the table, so entries that are still in memory are not counted\n";

    guest.run("list").succeeds();
    assert_eq!(guest.run(&show).succeeds().stderr, note);
    lacks(&guest.advise(&advise).fails(), "READ");
    lacks(&guest.run(&migrate).fails(), "READ");

    ground.grant(TablePermission::Write).await;
    assert_eq!(guest.run(&show).succeeds().stderr, "");
    assert_says(&guest.run(&create).fails(), "PERMISSION_DENIED");

    ground.revoke(TablePermission::Write).await;
    ground.grant(TablePermission::Read).await;
    assert_eq!(guest.run(&show).succeeds().stderr, note);
    assert_says(&guest.run(&create).fails(), "PERMISSION_DENIED");

    ground.grant(TablePermission::Write).await;
    let created = guest.run(&create).succeeds();
    assert_says(&created.stderr, "4,208 rows written");
    guest.advise(&advise).succeeds();
    guest.run(&migrate).succeeds();
    ground.end().await;
}
