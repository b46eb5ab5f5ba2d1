//! Tables with queues, whose rows come and go: a skew of their tablets is no difference.
//!
//! A combine queue of 119 buckets got 5,000 updates of different words. Its tablets of values were
//! still empty, so the fullest of its tablets of updates held 2.56 times the mean, and the verdict
//! on the table was NOT OK.

#![cfg(test)]

use std::num::NonZeroU32;

use fluo_engine::{Instance, InstanceExt};
use fluo_keys::{
    Difference, LoadStanding, RowCounting, RowHasher, TableOptimizations, TableRequirement,
    Verdict, VerifyOptions,
};
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::table_optimizations;
use fluo_table::{Authorizations, Bytes, Column, Mutation, Table, TableAdmin, Versions};

const TABLE: &str = "count";

/// A table of a hasher with 20 tablets and a queue.
struct Scene {
    is_transient: bool,
    /// The number of tablets of the queue.
    tablets: u32,
    queued: Vec<String>,
    hashed: Vec<Bytes>,
    others: Vec<String>,
    rows: RowCounting,
}

impl Scene {
    /// Creates a table with 4,000 even rows of the hasher, and an empty queue.
    fn new(is_transient: bool) -> Self {
        Self {
            is_transient,
            tablets: 4,
            queued: Vec::new(),
            hashed: keys().take(4_000).collect(),
            others: Vec::new(),
            rows: RowCounting::All,
        }
    }

    /// Puts 5,000 rows into one tablet of the queue.
    fn filled(mut self) -> Self {
        self.queued = (0..5_000).map(|n| format!("queue:001/{n}")).collect();
        self
    }

    fn optimizations(&self) -> TableOptimizations {
        let queue = TableRequirement::builder("the queue")
            .prefix("queue:")
            .splits((1..self.tablets).map(|end| format!("queue:{end:03}~")));
        let queue = match self.is_transient {
            true => queue.transient(),
            false => queue,
        };
        hasher().table_optimizations(20).unwrap().merge(queue.build().unwrap().into()).unwrap()
    }

    async fn verdict(self) -> Verdict {
        let fluo = Instance::in_memory();
        let optimizations = self.optimizations();
        fluo.create_table(TABLE, Versions::default()).await.unwrap();
        let plan = optimizations.plan(&fluo, TABLE).await.unwrap();
        plan.apply(&fluo).await.unwrap();
        let table = fluo.open_table(TABLE, Authorizations::none()).await.unwrap();
        let queued = self.queued.into_iter().map(Bytes::from);
        write(&*table, queued).await;
        let others = self.others.into_iter().map(Bytes::from);
        write(&*table, self.hashed.into_iter().chain(others)).await;
        let options = VerifyOptions::new().allow_other_rows(true);
        let options = options.rows(self.rows);
        let verify = optimizations.verify(&fluo, TABLE).options(&options);
        verify.await.unwrap()
    }
}

async fn write(table: &dyn Table, rows: impl Iterator<Item = Bytes>) {
    let column = Column::new("f", "q");
    let mutation = |row| Mutation::new(row).put(column.clone(), "");
    table.write(rows.map(mutation).collect()).await.unwrap();
}

fn hasher() -> RowHasher {
    RowHasher::new("p").unwrap()
}

/// Returns keys of the hasher.
fn keys() -> impl Iterator<Item = Bytes> {
    (0..).map(|n: u32| hasher().add(format!("row-{n}").as_bytes()))
}

/// Returns the recipes with a hot tablet; `None` stands for rows of no recipe.
fn hot(verdict: &Verdict) -> Vec<Option<&str>> {
    let differences = verdict.differences.iter();
    let hot = differences.filter_map(|one| match one {
        Difference::HotTablet { recipe, .. } => Some(recipe.as_deref()),
        _ => None,
    });
    hot.collect()
}

#[tokio::test]
async fn accepts_a_filled_combine_queue() {
    let words = CombineQueue::<String, u64>::new("wc", Sum).unwrap();
    let words = words.buckets_per_tablet(NonZeroU32::new(4).unwrap());
    let fluo = Instance::in_memory();
    let application = fluo.application(TABLE).recipe(&words);
    let client = application.create().await.unwrap();
    let optimizations = table_optimizations(&client.application().settings).unwrap();
    let plan = optimizations.plan(&fluo, TABLE).await.unwrap();
    plan.apply(&fluo).await.unwrap();
    client
        .run(async |tx| {
            let mut all = (0..5_000).map(|n| format!("word{n}"));
            all.try_for_each(|word| words.add(&tx, word, 1))
        })
        .await
        .unwrap();
    for rows in [RowCounting::All, RowCounting::Skip] {
        let options = VerifyOptions::new().rows(rows).require_rows(true);
        let verify = optimizations.verify(&fluo, TABLE).options(&options);
        let verdict = verify.await.unwrap();
        assert_eq!(verdict.to_string(), "OK: table count");
        let load = &verdict.rows[0].load;
        assert_eq!(load.standing, LoadStanding::NotCompared);
        assert!(load.total >= 5_000 && load.skew.unwrap() > 2.0, "{load:?}");
        assert_eq!(verdict.servers.total, load.total);
        assert_eq!(verdict.servers.standing, LoadStanding::NotCompared);
    }
}

#[tokio::test]
async fn a_skew_of_transient_rows_is_no_difference() {
    for rows in [RowCounting::All, RowCounting::Skip] {
        let skewed = |is_transient| Scene { rows, ..Scene::new(is_transient).filled() };
        let verdict = skewed(true).verdict().await;
        assert!(verdict.ok, "{verdict}");
        assert_eq!(verdict.servers.total, 4_000);
        assert_eq!(verdict.rows[1].load.total, 5_000);
        assert_eq!(verdict.rows[1].chi_square, None);
        let verdict = skewed(false).verdict().await;
        assert_eq!(hot(&verdict), [Some("the queue")]);
        assert_eq!(verdict.servers.total, 9_000);
    }
}

#[tokio::test]
async fn an_empty_queue_does_not_lower_the_mean_for_other_rows() {
    let beside = |is_transient| Scene {
        tablets: 400,
        others: (0..300).map(|n| format!("z{n}")).collect(),
        ..Scene::new(is_transient)
    };
    let verdict = beside(true).verdict().await;
    assert!(verdict.ok, "{verdict}");
    assert_eq!(hot(&beside(false).verdict().await), [None]);
}

#[tokio::test]
async fn a_filled_queue_hides_no_difference_of_a_row_hasher() {
    let first = hasher().splits(20).unwrap().remove(0);
    let scene = Scene {
        hashed: keys().filter(|key| *key <= first).take(500).collect(),
        ..Scene::new(true).filled()
    };
    assert_eq!(hot(&scene.verdict().await), [Some("row hasher `p`")]);

    let mut foreign = Scene::new(true).filled();
    foreign.others.push("p:without-hash".to_owned());
    let verdict = foreign.verdict().await;
    assert_eq!(
        verdict.differences,
        [Difference::ForeignRows {
            recipe: "row hasher `p`".to_owned(),
            rows: 1,
            first: "p:without-hash".to_owned(),
        }]
    );
}
