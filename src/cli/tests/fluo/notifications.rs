//! Waiting notifications are listed, and dead letters are listed, requeued and discarded.

use crate::application::{Web, at, page, place};
use crate::command::{Place, assert_says};
use fluo_table::coordination::{FailedNotification, ObserverKind};
use fluo_table::layout::{NotificationTimestamp, notification_column};
use fluo_table::{Column, Mutation, RowColumn};

const LIST: &str = "notifications list --at embedded:d";
const FAILED: &str = "notifications failed --at embedded:d";
const RETRY: &str = "notifications retry --at embedded:d";

/// Expects success with this standard output and this standard error.
#[track_caller]
fn tells(place: &Place, arguments: &str, stdout: &str, stderr: &str) {
    let run = place.fluo(arguments).succeeds();
    assert_eq!(
        (run.text(), run.stderr.as_str()),
        (stdout, stderr),
        "{arguments}"
    );
}

async fn with_notifications() -> Place {
    let place = place();
    let web = Web::open(&place).await;
    let set = |row: &'static str, column: Column, timestamp| {
        let timestamp = at(timestamp);
        let stamp = NotificationTimestamp {
            timestamp,
            is_delete: false,
        };
        Mutation::new(row).put_at(notification_column(&column), stamp.encode(), "")
    };
    let done = NotificationTimestamp {
        timestamp: at(31),
        is_delete: true,
    };
    let gone =
        set("b", page("links"), 30).put_at(notification_column(&page("links")), done.encode(), "");
    let mutations = vec![
        set("a", page("text"), 10),
        set("a", page("links"), 12),
        gone,
        set("c\\", page("other"), 14),
        set("d", page("text").with_visibility("eu"), 16),
        Mutation::new("e").put_at(Column::new("ntfy", "?"), 2, ""),
    ];
    web.table.write(mutations).await.unwrap();
    place
}

#[tokio::test]
async fn lists_and_counts_waiting_notifications() {
    let place = with_notifications().await;
    let note = "note: 1 cell of the family `ntfy` cannot be decoded; `fluo scan --notifications` shows what is stored\n";
    tells(
        &place,
        &format!("{LIST} web"),
        "a page:text\tstrong\t10\na page:links\tweak\t12\nc\\x5c page:other\t-\t14\n",
        &format!("3 notifications wait\n{note}"),
    );
    tells(
        &place,
        &format!("{LIST} --limit 1 --encoding hex web"),
        "61 70616765:74657874\tstrong\t10\n",
        &format!("3 notifications wait, 1 printed\n{note}"),
    );
    let (list, eu) = (
        format!("{LIST} --limit 0 web"),
        format!("{LIST} --authorization eu --json web"),
    );
    tells(
        &place,
        &list,
        "",
        &format!("3 notifications wait, 0 printed\n{note}"),
    );
    let run = place.fluo(&eu).succeeds();
    assert_eq!(run.text().lines().count(), 4);
    let last = run.text().lines().next_back().unwrap();
    assert_eq!(
        last,
        r#"{"row":"d","family":"page","qualifier":"text","visibility":"eu","kind":null,"timestamp":16}"#
    );
}

#[tokio::test]
async fn lines_can_be_parsed() {
    let place = place();
    let web = Web::open(&place).await;
    let column = Column::new("a b:c", "d e:f");
    let record = failed("a \u{202e}b", column, "no\u{202e} such page");
    web.coordination.add_dead_letter(record).await.unwrap();
    drop(web);
    let run = place.fluo(&format!("{FAILED} web")).succeeds();
    assert_says(
        run.text(),
        "a\\x20\\xe2\\x80\\xaeb a\\x20b\\x3ac:d\\x20e:f\tstrong\t17\t",
    );
    assert_says(run.text(), "\tno\\u{202e} such page\n");
    let run = place.fluo(&format!("{FAILED} --json web")).succeeds();
    assert_says(run.text(), "\"family\":\"a b:c\",\"qualifier\":\"d e:f\"");
    assert_says(run.text(), "no\\u202e such page");
    let arguments = [
        "notifications",
        "retry",
        "--at",
        "embedded:d",
        "web",
        r"a\x20\xe2\x80\xaeb",
        r"a\x20b\x3ac:d\x20e:f",
    ];
    let run = place.with(arguments).succeeds();
    assert_eq!(run.stderr, "requeued 1 dead letter\n");
}

#[tokio::test]
async fn lists_a_change_until_its_observer_has_run() {
    let place = place();
    tells(&place, &format!("{LIST} web"), "", "0 notifications wait\n");
    let web = Web::open(&place).await;
    web.set(&[(b"r", page("text"), b"v")]).await;
    drop(web);
    tells(
        &place,
        &format!("{LIST} web"),
        "r page:text\tstrong\t4\n",
        "1 notification waits\n",
    );
}

fn failed(row: &'static str, column: Column, error: &str) -> FailedNotification {
    FailedNotification {
        cell: RowColumn::new(row, column),
        kind: ObserverKind::Strong,
        timestamp: at(17),
        tries: 4,
        error: error.to_owned(),
        failed_at_ms: 1_767_225_599_900,
    }
}

async fn with_failures() -> Place {
    let place = place();
    let web = Web::open(&place).await;
    for record in [
        failed("bad", page("text"), "no such page\n\u{1b}[31m"),
        failed("bad", page("text").with_visibility("eu"), "no such page"),
        failed("worse\\", page("links"), "cannot count"),
    ] {
        web.coordination.add_dead_letter(record).await.unwrap();
    }
    place
}

#[tokio::test]
async fn lists_dead_letters_with_their_errors() {
    let place = place();
    tells(&place, &format!("{FAILED} web"), "", "0 dead letters\n");
    let place = with_failures().await;
    let rest = "strong\t17\t4\t2025-12-31T23:59:59Z";
    tells(
        &place,
        &format!("{FAILED} web"),
        &format!(
            "bad page:text\t{rest}\tno such page\\n\\u{{1b}}[31m\n\
             bad page:text [eu]\t{rest}\tno such page\n\
             worse\\x5c page:links\t{rest}\tcannot count\n"
        ),
        "3 dead letters\n",
    );
    let run = place.fluo(&format!("{FAILED} --json web")).succeeds();
    assert_eq!(
        run.text().lines().next().unwrap(),
        "{\"row\":\"bad\",\"family\":\"page\",\"qualifier\":\"text\",\"visibility\":\"\",\"kind\":\"strong\",\
         \"timestamp\":17,\"tries\":4,\"failed_at\":\"2025-12-31T23:59:59Z\",\"error\":\"no such page\\n\\u001b[31m\"}"
    );
}

#[tokio::test]
async fn requeues_one_notification() {
    let place = with_failures().await;
    tells(
        &place,
        &format!(r"{RETRY} web worse\x5c page:links"),
        "",
        "requeued 1 dead letter\n",
    );
    let run = place.fluo(&format!("{LIST} web")).succeeds();
    assert_says(run.text(), "worse\\x5c page:links\tweak\t");
    assert_eq!(run.stderr, "1 notification waits\n");
    assert_eq!(
        place
            .fluo(&format!(r"{RETRY} web worse\x5c page:links"))
            .fails(),
        r"there is no dead letter of `worse\x5c page:links`; `fluo notifications failed` lists all"
    );
    tells(
        &place,
        &format!("{RETRY} --encoding hex --visibility eu web 626164 70616765:74657874"),
        "",
        "requeued 1 dead letter\n",
    );
    let run = place.fluo(&format!("{FAILED} web")).succeeds();
    assert_says(run.text(), "bad page:text\tstrong");
    assert_eq!(run.stderr, "1 dead letter\n");
}

#[tokio::test]
async fn requeues_all_notifications() {
    let place = with_failures().await;
    tells(
        &place,
        &format!("{RETRY} --all web"),
        "",
        "requeued 3 dead letters\n",
    );
    tells(
        &place,
        &format!("{RETRY} --all web"),
        "",
        "requeued 0 dead letters\n",
    );
    tells(&place, &format!("{FAILED} web"), "", "0 dead letters\n");
    let run = place
        .fluo(&format!("{LIST} --authorization eu web"))
        .succeeds();
    assert_eq!(run.stderr, "3 notifications wait\n");
}

#[tokio::test]
async fn discards_notifications() {
    let place = with_failures().await;
    let discard = "notifications discard --at embedded:d";
    tells(
        &place,
        &format!("{discard} web bad page:text"),
        "",
        "discarded 1 dead letter\n",
    );
    assert_eq!(
        place.fluo(&format!("{discard} web bad page:text")).fails(),
        "there is no dead letter of `bad page:text`; `fluo notifications failed` lists all"
    );
    // The notification with another visibility is a different one.
    let run = place.fluo(&format!("{FAILED} web")).succeeds();
    assert_says(run.text(), "bad page:text [eu]\t");
    assert_eq!(run.stderr, "2 dead letters\n");
    for said in ["discarded 2 dead letters\n", "discarded 0 dead letters\n"] {
        tells(&place, &format!("{discard} --all web"), "", said);
    }
    let list = format!("{LIST} --authorization eu web");
    tells(&place, &list, "", "0 notifications wait\n");
    let run = place.fluo(&format!("{discard} web bad"));
    assert_says(&run.refuses_arguments(), "<FAMILY:QUALIFIER>");
}
