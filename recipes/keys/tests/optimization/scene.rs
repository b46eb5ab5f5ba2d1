//! Tables with rows, and the verdicts on them.

use std::collections::BTreeSet;

use fluo_keys::{
    DigestSalt, HashScheme, KeyDesign, MaxSkew, Modulo, RowCounting, RowHasher, SaltedPart,
    TableOptimizations, TableRequirement, Unsalted, Verdict, VerifyOptions,
};
use fluo_table::{
    Authorizations, Bytes, Column, MemoryTables, Mutation, SystemClock, TableAdmin, Versions,
};

use crate::TABLE;
use crate::servers::Servers;

/// Real rows: 43 % of them are on one host.
const ROWS: &str = include_str!("../../../../examples/data/package-homepages.txt");

/// A table, with the arguments of its verification.
pub(crate) struct Scene {
    /// The applied optimizations.
    pub(crate) spec: TableOptimizations,
    /// The verified optimizations, if they differ from the applied ones.
    pub(crate) verified: Option<TableOptimizations>,
    pub(crate) rows: Vec<Bytes>,
    /// Returns `true` for rows that a scan without authorizations does not show.
    pub(crate) is_labeled: fn(&[u8]) -> bool,
    /// Returns `true` for rows that have forty cells instead of one.
    pub(crate) is_wide: fn(&[u8]) -> bool,
    pub(crate) added: Vec<&'static str>,
    pub(crate) merged: Option<(&'static str, &'static str)>,
    pub(crate) property: Option<(&'static str, &'static str)>,
    pub(crate) servers: usize,
    /// The server of each tablet, if the balancer does not choose it.
    pub(crate) placed: Vec<Option<usize>>,
    pub(crate) options: VerifyOptions,
}

impl Scene {
    pub(crate) fn new(spec: TableOptimizations, rows: impl IntoIterator<Item = Bytes>) -> Self {
        Self {
            spec,
            verified: None,
            rows: rows.into_iter().collect(),
            is_labeled: |_| false,
            is_wide: |_| false,
            added: Vec::new(),
            merged: None,
            property: None,
            servers: 4,
            placed: Vec::new(),
            options: VerifyOptions::new(),
        }
    }

    pub(crate) fn verified_as(mut self, spec: TableOptimizations) -> Self {
        self.verified = Some(spec);
        self
    }

    pub(crate) fn and(mut self, rows: impl IntoIterator<Item = Bytes>) -> Self {
        self.rows.extend(rows);
        self
    }

    pub(crate) fn with_others(mut self) -> Self {
        self.options = self.options.allow_other_rows(true);
        self
    }

    pub(crate) fn accepting(mut self, max_skew: f64) -> Self {
        self.options = self.options.max_skew(MaxSkew::new(max_skew).unwrap());
        self
    }

    pub(crate) fn requiring_rows(mut self) -> Self {
        self.options = self.options.require_rows(true);
        self
    }

    pub(crate) fn counting(mut self, rows: RowCounting) -> Self {
        self.options = self.options.rows(rows);
        self
    }

    pub(crate) async fn verdict(self) -> Verdict {
        let tables = MemoryTables::with(std::sync::Arc::new(SystemClock), self.servers);
        let servers = Servers { placed: self.placed, ..Servers::over(tables) };
        servers.create_table(TABLE, Versions::default()).await.unwrap();
        let plan = self.spec.plan(&servers, TABLE).await.unwrap();
        plan.apply(&servers).await.unwrap();
        let added: BTreeSet<_> = self.added.iter().map(|row| Bytes::from(*row)).collect();
        servers.add_splits(TABLE, &added).await.unwrap();
        if let Some((after, last)) = self.merged {
            let (start, end) = (after.as_bytes(), format!("{last}\0"));
            let start = (!start.is_empty()).then_some(start);
            servers.merge(TABLE, start, Some(end.as_bytes())).await.unwrap();
        }
        if let Some((name, value)) = self.property {
            servers.set_property(TABLE, name, value).await.unwrap();
        }
        let table = servers.open_table(TABLE, Authorizations::none()).await.unwrap();
        let mutation = |row: Bytes| {
            let more = if (self.is_wide)(&row) { 39 } else { 0 };
            let label = if (self.is_labeled)(&row) { "secret" } else { "" };
            let column = Column::new("page", "uri").with_visibility(label);
            let mutation = Mutation::new(row).put(column, "");
            (0..more)
                .fold(mutation, |mutation, n| mutation.put(Column::new("page", n.to_string()), ""))
        };
        table.write(self.rows.into_iter().map(mutation).collect()).await.unwrap();
        let spec = self.verified.as_ref().unwrap_or(&self.spec);
        spec.verify(&servers, TABLE).options(&self.options).await.unwrap()
    }
}

pub(crate) fn hasher(prefix: &str) -> RowHasher {
    RowHasher::new(prefix).unwrap()
}

pub(crate) fn hashed(prefix: &str, tablets: u32) -> TableOptimizations {
    hasher(prefix).table_optimizations(tablets).unwrap()
}

pub(crate) fn two(p: u32, q: u32) -> TableOptimizations {
    hashed("p", p).merge(hashed("q", q)).unwrap()
}

pub(crate) fn sha1(prefix: &str) -> RowHasher {
    RowHasher::with_scheme(prefix, HashScheme::Sha1Base32).unwrap()
}

pub(crate) fn modulo(buckets: u32) -> KeyDesign {
    KeyDesign::new(Modulo { buckets, ..Modulo::default() }).unwrap()
}

/// Returns a salt of the host, which ends before the first `/`.
pub(crate) fn by_host(digits: u8) -> KeyDesign {
    KeyDesign::new(DigestSalt {
        digits,
        over: SaltedPart::Before("/".to_owned()),
        ..DigestSalt::default()
    })
    .unwrap()
}

pub(crate) fn of(design: &KeyDesign, tablets: u32) -> TableOptimizations {
    TableOptimizations::for_key_design(design, tablets).unwrap()
}

/// Returns a recipe whose tablets are uneven by design.
pub(crate) fn queue() -> TableOptimizations {
    let splits = ["queue:1", "queue:2", "queue:3"].map(Bytes::from);
    let queue = TableRequirement::builder("the queue").prefix("queue:").splits(splits);
    queue.shares([6, 2, 1, 1]).build().unwrap().into()
}

/// Returns rows of the queue, with this number in each tablet.
pub(crate) fn queued(counts: [usize; 4]) -> Vec<Bytes> {
    let tablets = counts.iter().enumerate();
    tablets.flat_map(|(tablet, count)| literal(&format!("queue:{tablet}/"), *count)).collect()
}

/// Returns plain rows in the given tablets.
pub(crate) fn unsalted(splits: &[&'static str]) -> TableOptimizations {
    let design = KeyDesign::new(Unsalted {}).unwrap();
    let splits = splits.iter().map(|row| Bytes::from(*row));
    TableRequirement::for_key_design_at(&design, splits).unwrap().into()
}

pub(crate) fn plain() -> impl Iterator<Item = Bytes> {
    ROWS.lines().map(Bytes::from)
}

pub(crate) fn numbered(count: usize) -> impl Iterator<Item = Bytes> {
    (0..count).map(|n| format!("row-{n}").into())
}

pub(crate) fn under(prefix: &str, rows: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let hasher = hasher(prefix);
    rows.into_iter().map(|row| hasher.add(&row)).collect()
}

/// Returns optimizations of one tablet for each prefix, and 1,000 rows under each.
pub(crate) fn one_tablet_each(prefixes: &[&str]) -> (TableOptimizations, Vec<Bytes>) {
    let specs = prefixes.iter().map(|prefix| hashed(prefix, 1));
    let spec = specs.reduce(|all, one| all.merge(one).unwrap()).unwrap();
    let rows = prefixes.iter().flat_map(|prefix| under(prefix, numbered(1_000)));
    (spec, rows.collect())
}

pub(crate) fn keys(design: &KeyDesign, rows: impl IntoIterator<Item = Bytes>) -> Vec<Bytes> {
    let add = |row: Bytes| design.encode_row(&row).unwrap();
    rows.into_iter().map(add).collect()
}

pub(crate) fn literal(prefix: &str, count: usize) -> Vec<Bytes> {
    (0..count).map(|n| format!("{prefix}{n:06}").into()).collect()
}

/// Returns keys of a hasher that are all in its first tablet of 20.
pub(crate) fn in_the_first(prefix: &str, count: usize) -> Vec<Bytes> {
    let hasher = hasher(prefix);
    let end = format!("{prefix}:1");
    (0..)
        .map(|n: u32| hasher.add(format!("twin-{n}").as_bytes()))
        .filter(|key| key.as_ref() < end.as_bytes())
        .take(count)
        .collect()
}

/// Returns a table with even rows, which have forty cells each in one of the tablets.
pub(crate) fn wide() -> Scene {
    Scene { is_wide: |row| row < b"p:1sst".as_slice(), ..even() }
}
/// Returns a table of 20 tablets with the real rows, hashed.
pub(crate) fn even() -> Scene {
    Scene::new(hashed("p", 20), under("p", plain()))
}
