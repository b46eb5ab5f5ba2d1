//! V1 to V4: the stored cells that a scan shows.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use fluo_table::{
    Cell, Column, ColumnSelector, Filter, Key, Mutation, Scan, Span, TableAdmin, Versions,
};

use super::ground::{Ground, cell, column, put_cell, read};

fn latest(count: u32) -> Versions {
    Versions::Latest(NonZeroU32::new(count).unwrap())
}

/// Checks V1: a scan shows the columns that it selects, by family or by qualifier, and each cell
/// once.
pub async fn v1_a_scan_shows_the_columns_that_it_selects(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let names =
        [("", ""), ("", "q"), ("f", ""), ("f", "q"), ("f", "q\0"), ("f\0", "q"), ("fg", "q")];
    let cell_of = |row, (family, qualifier): (&'static str, &'static str)| {
        Cell::new(Key::new(row, Column::new(family, qualifier), 1), "v")
    };
    let cells: Vec<_> =
        ["a", "b"].into_iter().flat_map(|row| names.map(|name| cell_of(row, name))).collect();
    ground.write(cells.iter().map(put_cell).collect()).await;

    let family = |family: &'static str| ColumnSelector::family(family);
    let qualifier = |family: &'static str, qualifier: &'static str| {
        ColumnSelector::qualifier(family, qualifier)
    };
    let cases: [(_, &[usize]); 11] = [
        (vec![], &[0, 1, 2, 3, 4, 5, 6]),
        (vec![family("f")], &[2, 3, 4]),
        (vec![family("")], &[0, 1]),
        (vec![qualifier("f", "q")], &[3]),
        (vec![qualifier("f", "")], &[2]),
        (vec![qualifier("", "")], &[0]),
        (vec![qualifier("f", "q"), family("f")], &[2, 3, 4]),
        (vec![qualifier("f", "q"), qualifier("f", "q")], &[3]),
        (vec![qualifier("fg", "q"), family("")], &[0, 1, 6]),
        (vec![family("g")], &[]),
        (vec![qualifier("f", "r")], &[]),
    ];
    for (selectors, expected) in cases {
        let scan = Scan::over(Span::all());
        let scan = selectors.iter().cloned().fold(scan, Scan::column);
        let of_row = |row| expected.iter().map(move |&n| cell_of(row, names[n]));
        let expected: Vec<_> = of_row("a").chain(of_row("b")).collect();
        assert_eq!(ground.read(scan).await, expected, "{selectors:?}");
    }
}

/// Checks V1: a handle shows exactly the cells whose visibility its authorizations satisfy.
pub async fn v1_a_handle_shows_the_cells_of_its_authorizations(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let expressions =
        ["", "A", "B", "A&B", "A|B", "(A|B)&\"a b\"", "\"a b\"", "unheld", "A|unheld"];
    let put = |row: Mutation, visibility| {
        row.put_at(column("q").with_visibility(visibility), 1, visibility)
    };
    ground.write(vec![expressions.into_iter().fold(Mutation::new("r"), put)]).await;

    let cases: [(&[&str], &[&str]); 5] = [
        (&[], &[""]),
        (&["A"], &["", "A", "A|B", "A|unheld"]),
        (&["B"], &["", "A|B", "B"]),
        (&["a b"], &["", "\"a b\""]),
        (&["A", "B", "a b"], &["", "\"a b\"", "(A|B)&\"a b\"", "A", "A&B", "A|B", "A|unheld", "B"]),
    ];
    for (labels, expected) in cases {
        let reader = ground.tables.open_table(&ground.name, labels_of(labels)).await.unwrap();
        let selected = Scan::over(Span::row("r")).column(ColumnSelector::qualifier("f", "q"));
        for scan in [Scan::over(Span::all()), selected] {
            let shown = read(&*reader, scan).await;
            let values: Vec<_> = shown.iter().map(|cell| &cell.value[..]).collect();
            let expected: Vec<_> = expected.iter().map(|value| value.as_bytes()).collect();
            assert_eq!(values, expected, "{labels:?}");
        }
    }
}

fn labels_of(labels: &[&str]) -> fluo_table::Authorizations {
    labels.iter().map(|label| (*label).to_owned()).collect()
}

/// Checks V2: a delete hides its own column at and below its timestamp, independent of the order of
/// the writes.
pub async fn v2_a_delete_hides_its_column_at_and_below_its_timestamp(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let marked = column("q").with_visibility("A");
    let puts = |row: &'static str| {
        let versions = [i64::MIN, -1, 0, 1, i64::MAX];
        let all =
            versions.into_iter().fold(Mutation::new(row), |m, t| m.put_at(column("q"), t, "v"));
        all.put_at(column("q\0"), 0, "v").put_at(column(""), 0, "v").put_at(marked.clone(), 0, "v")
    };
    let delete = |row: &'static str, at| Mutation::new(row).delete_at(column("q"), at);
    let cases = [
        ("a", 0, vec![i64::MAX, 1]),
        ("b", i64::MIN, vec![i64::MAX, 1, 0, -1]),
        ("c", i64::MAX, vec![]),
        ("d", -2, vec![i64::MAX, 1, 0, -1]),
    ];
    for (row, at, _) in &cases {
        ground.write(vec![puts(row), delete(row, *at)]).await;
    }
    let seer = ground.reader(&["A"]).await;
    for (row, at, expected) in &cases {
        let shown = read(&*seer, Scan::over(Span::row(*row))).await;
        let (of_column, others): (Vec<_>, Vec<_>) =
            shown.iter().partition(|cell| cell.key.column == column("q"));
        let shown: Vec<_> = of_column.iter().map(|cell| cell.key.timestamp).collect();
        assert_eq!(shown, *expected, "after a delete at {at}");
        assert_eq!(others.len(), 3, "a delete hides no other column");
    }
}

/// Checks V2: a delete also hides later writes at or below its timestamp, and nothing newer.
pub async fn v2_a_delete_hides_later_writes_at_or_below_its_timestamp(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let row = Mutation::new("one mutation").delete_at(column("q"), 5).put_at(column("q"), 5, "v");
    ground.write(vec![row]).await;
    ground.write(vec![Mutation::new("two calls").delete_at(column("q"), 5)]).await;
    ground.write(vec![Mutation::new("two calls").put_at(column("q"), 5, "v")]).await;
    ground.write(vec![Mutation::new("two calls").put_at(column("q"), 4, "v")]).await;
    assert_eq!(ground.all().await, []);

    ground.write(vec![Mutation::new("two calls").put_at(column("q"), 6, "v")]).await;
    assert_eq!(ground.all().await, [cell("two calls", "q", 6, "v")]);
}

/// Checks V3: a scan shows the newest versions, as many as the table is configured to show. Deleted
/// versions do not count.
pub async fn v3_the_newest_versions_are_shown(tables: Arc<dyn TableAdmin>) {
    for (versions, expected) in [
        (Versions::default(), vec![7]),
        (latest(2), vec![7, 5]),
        (latest(3), vec![7, 5, -2]),
        (latest(9), vec![7, 5, -2, i64::MIN]),
        (Versions::All, vec![7, 5, -2, i64::MIN]),
    ] {
        let ground = Ground::new(&tables, versions).await;
        // Each row and column has its own versions, independent of the order of the writes.
        for timestamp in [5, i64::MIN, 7, -2] {
            let put = |row: &'static str| {
                let both = Mutation::new(row).put_at(column("q"), timestamp, "v");
                both.put_at(column("r"), timestamp, "v")
            };
            ground.write(vec![put("a"), put("b")]).await;
        }
        let shown: Vec<_> = ground.all().await.iter().map(|cell| cell.key.timestamp).collect();
        assert_eq!(shown, expected.repeat(4), "{versions:?}");
        ground.end().await;
    }
    let ground = Ground::new(&tables, latest(2)).await;
    let row = Mutation::new("r").delete_at(column("q"), 3);
    let row = [9, 8, 7, 3].into_iter().fold(row, |row, t| row.put_at(column("q"), t, "v"));
    ground.write(vec![row, Mutation::new("s").delete_at(column("q"), 9)]).await;
    let shown = ground.all().await;
    assert_eq!(shown, [cell("r", "q", 9, "v"), cell("r", "q", 8, "v")]);
}

/// Checks V3: a change of the version properties applies to the next scan.
pub async fn v3_the_version_properties_can_be_changed(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let row = (1..=4).fold(Mutation::new("r"), |row, t| row.put_at(column("q"), t, "v"));
    ground.write(vec![row]).await;
    let cases =
        [(latest(2), 2), (Versions::All, 4), (latest(3), 3), (latest(1), 1), (Versions::All, 4)];
    for (versions, expected) in cases {
        ground.set_versions(versions).await;
        let shown = ground.all().await;
        assert_eq!(shown.len(), expected, "{versions:?}");
        assert_eq!(shown[0].key.timestamp, 4);
    }
}

/// Checks V4: the filter for the first cell of a row selects among the cells that the scan would
/// show without it.
pub async fn v4_the_first_cell_of_a_row_is_the_first_shown_cell(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let marked = column("a").with_visibility("A");
    ground
        .write(vec![
            Mutation::new("").put_at(column("q"), 1, "v"),
            Mutation::new("deleted").put_at(column("q"), 1, "v").delete_at(column("q"), 1),
            Mutation::new("first deleted")
                .put_at(column("q"), 1, "v")
                .delete_at(column("q"), 1)
                .put_at(column("r"), 2, "v"),
            Mutation::new("hidden").put_at(marked.clone(), 1, "v"),
            Mutation::new("first hidden").put_at(marked, 1, "v").put_at(column("q"), 1, "v"),
            Mutation::new("versions").put_at(column("q"), 1, "v").put_at(column("q"), 2, "v"),
        ])
        .await;
    let rows = || Scan::over(Span::all()).filter(Filter::FirstOfRow);
    let small = rows().batch_cells(NonZeroUsize::MIN);
    for scan in [rows(), small] {
        let shown = ground.read(scan).await;
        let expected = [
            cell("", "q", 1, "v"),
            cell("first deleted", "r", 2, "v"),
            cell("first hidden", "q", 1, "v"),
            cell("versions", "q", 2, "v"),
        ];
        assert_eq!(shown, expected);
    }
    let selected = ground.read(rows().column(ColumnSelector::qualifier("f", "r"))).await;
    assert_eq!(selected, [cell("first deleted", "r", 2, "v")]);
    let seer = ground.reader(&["A"]).await;
    let shown = read(&*seer, rows()).await;
    let rows_shown: Vec<_> = shown.iter().map(|cell| &cell.key.row[..]).collect();
    assert_eq!(rows_shown, [&b""[..], b"first deleted", b"first hidden", b"hidden", b"versions"]);
}
