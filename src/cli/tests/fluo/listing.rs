//! Lists of queues, notifications and dead letters: tables at a terminal. The transcripts in
//! `tests/data` show the lines in a pipe.

#![cfg(unix)]

use fluo_table::layout::{NotificationTimestamp, notification_column};
use fluo_table::{Bytes, Mutation};

use crate::application::{Web, at, failed, page, place};
use crate::command::Place;
use crate::queue::update;

impl Place {
    /// Returns the lines of a command at a terminal. Notes are left out.
    fn lines_at_terminal(&self, arguments: &str) -> Vec<String> {
        let (code, shown) = self.at_terminal(&format!("-q {arguments}"), &[]).ended();
        assert_eq!(code, Some(0), "{shown}");
        shown.lines().map(str::to_owned).collect()
    }
}

#[tokio::test]
async fn lists_of_queues_have_headings_at_a_terminal() {
    let place = Place::new();
    for _ in 0..2 {
        update(&place, &[("cat", 200)], true).await;
    }
    update(&place, &[("fish", 3)], false).await;
    for (arguments, headings, row) in [
        (
            "queue list --at embedded:d web",
            " queue  kind     buckets  entries  bytes  oldest  age in s  dead letters  accuracy",
            " wc     combine        1        1     20 ",
        ),
        (
            "queue show --at embedded:d web wc",
            " bucket  entries  bytes  oldest  age in s  accuracy",
            "      0        1     20 ",
        ),
        ("queue failed --at embedded:d web wc", " key  sequence  value  error", " cat "),
    ] {
        let lines = place.lines_at_terminal(arguments);
        assert_eq!(lines[0], headings);
        assert!(lines[1].starts_with(row), "{}", lines[1]);
        assert_eq!(lines.len(), 2);
    }
    let json = place.lines_at_terminal("queue list --at embedded:d --json web");
    assert!(json[0].starts_with(r#"{"format":1,"id":"wc","#), "{}", json[0]);
}

/// A long list is several tables, so it is not kept in memory.
#[tokio::test]
async fn lists_of_notifications_have_headings_at_a_terminal() {
    let place = place();
    let web = Web::open(&place).await;
    let stamp = NotificationTimestamp { timestamp: at(7), is_delete: false }.encode();
    let column = notification_column(&page("text"));
    let notified = (0..4_000)
        .map(|row| Mutation::new(format!("{row:04}")).put_at(column.clone(), stamp, Bytes::new()));
    web.table.write(notified.collect()).await.unwrap();
    web.coordination.add_dead_letter(failed("bad", page("text"), "no page")).await.unwrap();
    drop(web);
    let list = place.lines_at_terminal("notifications list --at embedded:d web");
    let headings = " cell            kind    timestamp";
    assert_eq!(list[..2], [headings, " 0000 page:text  strong          7"]);
    assert_eq!(list.iter().filter(|line| **line == headings).count(), 2);
    assert_eq!(list.len(), 4_002);
    assert_eq!(
        place.lines_at_terminal("notifications failed --at embedded:d web"),
        [
            " cell           kind    timestamp  tries  failed at             error",
            " bad page:text  strong         17      4  2025-12-31T23:59:59Z  no page",
        ]
    );
}
