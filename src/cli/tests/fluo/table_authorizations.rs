//! Rows with labeled cells are visible with the given authorizations.

use crate::command::{Place, ROWS, assert_says};
use fluo_embedded::{EmbeddedOptions, EmbeddedTables};
use fluo_table::{Authorizations, Column, Mutation, TableAdmin};

/// Creates the table `pages` in the state of the spec, with labeled rows that were written without
/// the hasher.
async fn labeled() -> Place {
    let place = Place::with_table();
    place.runs("table apply --at embedded:d --spec s.toml pages");
    let tables = EmbeddedTables::open(place.path("d"), EmbeddedOptions::new()).unwrap();
    let table = tables.open_table("pages", Authorizations::none()).await.unwrap();
    let column = Column::new("page", "uri").with_visibility("eu");
    let row = |row: &'static str| Mutation::new(row).put(column.clone(), "");
    table.write(ROWS.lines().map(row).collect()).await.unwrap();
    place
}

/// Covers a bug: `verify`, `watch` and `advise` had no option for authorizations, so labeled rows
/// were never counted. The entries showed that a tablet was hot, but not the cause.
#[tokio::test]
async fn counts_labeled_rows_with_their_label() {
    let place = labeled().await;
    let cause = "rows of no recipe: 4,208 of 4,208";
    let unseen = "tablet `p:1sst` on server-002 holds 4,153 of 4,153 entries";
    for command in ["verify", "watch --once --rows count"] {
        let command = format!("table {command} --at embedded:d --spec s.toml");
        let run = place.fluo(&format!("{command} pages")).differs();
        assert_says(run.text(), unseen);
        let run = place.fluo(&format!("{command} --authorization eu pages"));
        assert_says(run.differs().text(), cause);
    }
    let advise = "advise --at embedded:d";
    assert_says(&place.fails(&format!("{advise} pages")), "there are no keys in table `pages`");
    let run = place.fluo(&format!("{advise} --authorization eu pages"));
    assert_says(run.succeeds().text(), "4,208");
    assert_says(&place.fluo("advise --authorization eu keys.txt").refuses_arguments(), "--at");
}
