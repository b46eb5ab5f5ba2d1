//! The main promise: rows are spread over the tablets. `cli::life` checks that groups of tablets
//! are spread over the servers.

use std::collections::BTreeSet;

use fluo_keys::{RowCounting, RowHasher, VerifyOptions};
use fluo_table::{Bytes, Column, Filter, Mutation, Scan, TableAdmin, Versions};

use crate::cli::ROWS;
use crate::faults_ground::{open, say};
use crate::ground::fresh_name;

/// Greatest distance of a tablet from the mean.
const TOLERANCE_PERCENT: usize = 15;

/// Returns home pages of packages, and pages below them.
fn urls() -> BTreeSet<String> {
    const PAGES: [&str; 10] = [
        "",
        "about",
        "blog",
        "contact",
        "docs/index.html",
        "download",
        "faq",
        "license",
        "news/2024",
        "search?q=a",
    ];
    let of_home = |home: &'static str| PAGES.map(|page| format!("{home}{page}"));
    ROWS.lines().flat_map(of_home).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spreads_rows_of_real_urls_evenly_over_twenty_tablets() {
    const TABLETS: usize = 20;
    let Some(tables) = crate::cluster::tables().await else { return };
    let (name, hasher) = (fresh_name("proof_rows"), RowHasher::new("p").unwrap());
    tables.create_table(&name, Versions::default()).await.unwrap();
    let optimizations = hasher.table_optimizations(TABLETS.try_into().unwrap()).unwrap();
    let plan = optimizations.plan(&tables, &name).await.unwrap();
    plan.apply(&tables).await.unwrap();

    let (table, urls) = (open(&tables, &name).await, urls());
    assert!(urls.len() > 40_000);
    let rows: Vec<_> = urls
        .iter()
        .map(|url| {
            Mutation::new(hasher.add(url.as_bytes())).put(Column::new("page", "url"), url.clone())
        })
        .collect();
    for rows in rows.chunks(4_000) {
        table.write(rows.to_vec()).await.unwrap();
    }
    tables.flush(&name).await.unwrap();

    let tablets = tables.tablets(&name).await.unwrap();
    // The last tablet is for rows after those of the recipe.
    assert_eq!(tablets.as_slice().len(), TABLETS + 1);
    let mut counts = Vec::new();
    let mut found = BTreeSet::new();
    for (span, tablet) in tablets.spans() {
        let scan = Scan::over(span).filter(Filter::FirstOfRow);
        let cells = table.read(scan).await.unwrap();
        assert_eq!(tablet.entries, u64::try_from(cells.len()).unwrap());
        counts.push(cells.len());
        found.extend(cells.iter().map(|cell| {
            let row = hasher.remove(&cell.key.row).unwrap();
            cell.key.row.slice_ref(row)
        }));
    }
    assert!(found.into_iter().eq(urls.iter().map(|url| Bytes::from(url.clone()))));
    assert_eq!(counts.pop(), Some(0));
    let mean = urls.len() / TABLETS;
    let from_mean = counts.iter().map(|count| count.abs_diff(mean));
    let furthest = 100 * from_mean.max().unwrap() / mean;
    say(&format!(
        "{} rows, {mean} a tablet in the mean; the furthest is {furthest} % from it",
        urls.len()
    ));
    assert!(furthest < TOLERANCE_PERCENT, "{counts:?}");

    let options = VerifyOptions::new().rows(RowCounting::All);
    let verdict = optimizations.verify(&tables, &name).options(&options).await.unwrap();
    let rows = &verdict.rows[0];
    assert_eq!((rows.load.total, rows.foreign), (urls.len().try_into().unwrap(), 0));
    assert!(rows.chi_square.unwrap().p_value > 1e-6, "{rows:?}");
    tables.delete_table(&name).await.unwrap();
}
