//! Compactions, which are started by one call and watched in `accumulo.metadata`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accumulo_proxy::{
    ActiveCompaction, Bytes, CompactionReason, CompactionType, Entry, Key, KeyExtent, NextBatch,
};
use fluo_accumulo::AccumuloTables;
use fluo_table::{ErrorKind, Garbage, Span, TableAdmin, Timestamp};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::error;
use crate::fake::{Answer, Fake, Request, until};
use crate::interface as wire;
use crate::servers::{OLD, PAGES};

const SERVER: &str = "server:9997";

struct Tablet {
    /// The row in `accumulo.metadata`.
    row: &'static str,
    /// The end row of the tablet before, as it is stored.
    previous: &'static [u8],
    files: usize,
    /// Number of the last compaction.
    compacted: u64,
}

/// The table of the servers, with tablets up to `g`, up to `p` and up to the end.
struct Table {
    tablets: Vec<Tablet>,
    /// Number of compactions that were requested.
    requested: u64,
    /// True while a compaction runs that another user has requested.
    other_runs: bool,
    /// True if the servers complete a tablet between two looks at the metadata.
    works: bool,
    loses_answer: bool,
    is_deleted: bool,
    /// Number of compactions to refuse without an error.
    refused: u32,
    /// True while the server does not say what it does.
    is_silent: bool,
    /// Number of files that each tablet gets while a compaction runs.
    written: usize,
    /// The row at which the last scan stops.
    stop: Bytes,
}

impl Table {
    fn new(files: [usize; 3]) -> Arc<Mutex<Self>> {
        let tablets = [("1;g", &b"\0"[..]), ("1;p", b"\x01g"), ("1<", b"\x01p")];
        let tablets = tablets.into_iter().zip(files);
        let tablets =
            tablets.map(|((row, previous), files)| Tablet { row, previous, files, compacted: 5 });
        Arc::new(Mutex::new(Self {
            tablets: tablets.collect(),
            requested: 5,
            other_runs: false,
            works: true,
            loses_answer: false,
            is_deleted: false,
            refused: 0,
            is_silent: false,
            written: 0,
            stop: Bytes::new(),
        }))
    }

    fn compact(&mut self) -> Answer {
        match self.refused.checked_sub(1) {
            Some(left) => self.refused = left,
            None => self.requested += 1,
        }
        match std::mem::take(&mut self.loses_answer) {
            true => {
                self.other_runs = !self.works;
                Answer::Close
            }
            false => Answer::result::<wire::CompactTable>(()),
        }
    }

    /// Lets the servers complete one more tablet, and returns the rows of all.
    fn look(&mut self) -> Vec<Entry> {
        let requested = self.requested;
        let mut tablets = self.tablets.iter_mut();
        let waiting = tablets.find(|tablet| tablet.compacted < requested);
        if let Some(tablet) = waiting.filter(|_| self.works) {
            (tablet.files, tablet.compacted) = (1 + self.written, requested);
        }
        let mut rows = Vec::new();
        let stop = &self.stop;
        let below = |tablet: &&Tablet| tablet.row.as_bytes() < &**stop;
        for tablet in self.tablets.iter().filter(below) {
            let mut add = |family: &str, qualifier: String, value: Vec<u8>| {
                let key = Key::from_row(tablet.row).at(1);
                let key = key.in_column(family.to_owned(), qualifier);
                rows.push(Entry { key, value: value.into() });
            };
            for file in 0..tablet.files {
                add("file", format!("/f{file}"), b"10,1".to_vec());
            }
            let compacted = tablet.compacted.to_string();
            add("srv", "compact".to_owned(), compacted.into_bytes());
            add("~tab", "~pr".to_owned(), tablet.previous.to_vec());
        }
        rows
    }

    fn answer(&mut self, request: &Request) -> Answer {
        match request.call.as_str() {
            "tableIdMap" if self.is_deleted => {
                let none = BTreeMap::new();
                Answer::result::<wire::TableIdMap>(none)
            }
            "testTableClassLoad" => Answer::result::<wire::TestTableClassLoad>(true),
            "listSplits" => {
                let splits = ["g", "p"].map(Bytes::from).to_vec();
                Answer::result::<wire::ListSplits>(splits)
            }
            "compactTable" => self.compact(),
            "createScanner" => {
                let asked: wire::CreateScanner = request.read();
                let stop = asked.options.and_then(|options| Some(options.range?.stop?.row));
                self.stop = stop.unwrap_or_default();
                OLD.answer(request)
            }
            "nextK" => {
                let rows = NextBatch { entries: self.look(), more: false };
                Answer::result::<wire::NextK>(rows)
            }
            "getTabletServers" => Answer::result::<wire::GetTabletServers>(vec![SERVER.to_owned()]),
            "getActiveCompactions" if self.is_silent => {
                let (failed, cause) = (error::ErrorKind::Accumulo, "it does not answer");
                Answer::thrown::<wire::GetActiveCompactions>(failed, cause)
            }
            "getActiveCompactions" => {
                let running = self.other_runs.then(other_compaction);
                let running = running.into_iter().collect::<Vec<_>>();
                Answer::result::<wire::GetActiveCompactions>(running)
            }
            _ => OLD.answer(request),
        }
    }
}

/// Returns a compaction of the first tablet, which a user has requested.
fn other_compaction() -> ActiveCompaction {
    let (table_id, end_row) = ("1".to_owned(), Some("g".into()));
    ActiveCompaction {
        extent: Some(KeyExtent { table_id, end_row, previous_end_row: None }),
        age_ms: 1,
        input_files: Vec::new(),
        output_file: "/out".to_owned(),
        compaction_type: CompactionType::Full,
        reason: CompactionReason::User,
        locality_group: String::new(),
        entries_read: 7,
        entries_written: 7,
        iterators: Vec::new(),
    }
}

/// Starts a server with a table whose tablets have these numbers of files.
async fn start(files: [usize; 3]) -> (Arc<Mutex<Table>>, Fake, AccumuloTables) {
    let table = Table::new(files);
    let answering = table.clone();
    let fake = Fake::start(move |request| answering.lock().unwrap().answer(request)).await;
    let tables = AccumuloTables::connect(fake.settings()).await.unwrap();
    (table, fake, tables)
}

fn collect(tables: &AccumuloTables) -> JoinHandle<fluo_table::Result<()>> {
    collect_in(tables, Span::all())
}

fn collect_in(tables: &AccumuloTables, span: Span) -> JoinHandle<fluo_table::Result<()>> {
    let (tables, horizon) = (tables.clone(), Timestamp::new(12).unwrap());
    tokio::spawn(async move {
        let garbage = Garbage::DropBelow(horizon);
        tables.compact(PAGES, &span, garbage).await
    })
}

/// Waits for a result that comes after seconds, unless a bug makes it come after hours.
async fn in_time<T>(result: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, result).await.unwrap()
}

/// The bounds of a compaction, and the number of its iterators.
type Asked = (Option<Bytes>, Option<Bytes>, usize);

/// Returns the arguments of each call, and checks that none waits.
fn compactions(fake: &Fake) -> Vec<Asked> {
    let calls = fake.calls("compactTable").into_iter();
    let calls = calls.map(|call| {
        let asked: wire::CompactTable = call.read();
        assert_eq!((asked.wait, asked.flush), (Some(false), Some(true)));
        (asked.start_row, asked.end_row, asked.iterators.unwrap_or_default().len())
    });
    calls.collect()
}

/// One call waited for the whole compaction. If that took longer than ten minutes, the call failed,
/// the iterators never ran, and the next try compacted the table again.
#[tokio::test]
async fn a_compaction_is_started_and_watched_until_every_tablet_has_done_it() {
    let (table, fake, tables) = start([1, 2, 3]).await;
    table.lock().unwrap().works = false;
    let collecting = collect(&tables);
    let has_looked = || fake.count("getActiveCompactions") > 3;
    until("looks", || has_looked() || collecting.is_finished()).await;
    assert!(!collecting.is_finished());
    table.lock().unwrap().works = true;
    collecting.await.unwrap().unwrap();
    assert_eq!(compactions(&fake), [(None, None, 2)]);
}

/// The calls of each look at the tablets and servers, which a wait repeats for hours.
#[tokio::test]
async fn a_look_costs_a_scan_and_a_call_for_each_server() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().works = false;
    let collecting = collect(&tables);
    let looks = || fake.count("getActiveCompactions");
    until("a call", || fake.count("compactTable") == 1).await;
    let begun = looks();
    until("looks", || looks() >= begun + 3).await;
    table.lock().unwrap().works = true;
    collecting.await.unwrap().unwrap();
    for call in ["createScanner", "nextK", "closeScanner", "getTabletServers"] {
        assert_eq!(fake.count(call), looks(), "{call}");
    }
    // At most one a second checks that the table is the same, and some come before the first look.
    let checks = fake.count("tableIdMap");
    assert!(checks <= looks() + 4, "{checks}");
}

#[tokio::test]
async fn tablets_with_many_files_are_compacted_before_the_iterators_run() {
    let (_, fake, tables) = start([1, 9, 12]).await;
    collect(&tables).await.unwrap().unwrap();
    let after = Some(Bytes::from("g"));
    assert_eq!(compactions(&fake), [(after, None, 0), (None, None, 2)]);
}

/// The files were counted once. While the start waited, a tablet could get more of them than a
/// server compacts in one step.
#[tokio::test]
async fn files_that_are_written_during_a_wait_count() {
    let (table, fake, tables) = start([1, 2, 3]).await;
    table.lock().unwrap().other_runs = true;
    let collecting = collect(&tables);
    until("looks", || fake.count("getActiveCompactions") > 2).await;
    table.lock().unwrap().tablets[1].files = 9;
    table.lock().unwrap().other_runs = false;
    collecting.await.unwrap().unwrap();
    let (after, up_to) = (Some(Bytes::from("g")), Some(Bytes::from("p")));
    assert_eq!(compactions(&fake), [(after, up_to, 0), (None, None, 2)]);
}

#[tokio::test]
async fn too_many_files_after_each_compaction_are_an_error() {
    let (table, fake, tables) = start([9; 3]).await;
    table.lock().unwrap().written = 8;
    let error = collect(&tables).await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(
        error.to_string(),
        "tablets of table `pages` get more than 6 files while they are compacted; try again when \
         less is written"
    );
    assert_eq!(compactions(&fake), vec![(None, None, 0); 5]);
}

/// The looks are 50 ms apart, and then twice as long each time: after five of them, more than the
/// second after which a call is repeated has passed.
#[tokio::test]
async fn a_compaction_whose_answer_is_lost_is_not_repeated_while_it_runs() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().loses_answer = true;
    table.lock().unwrap().works = false;
    let collecting = collect(&tables);
    until("a call", || fake.count("compactTable") == 1).await;
    let before = fake.count("getActiveCompactions");
    until("looks", || fake.count("getActiveCompactions") > before + 5).await;
    table.lock().unwrap().works = true;
    table.lock().unwrap().other_runs = false;
    collecting.await.unwrap().unwrap();
    assert_eq!(compactions(&fake).len(), 1);
}

/// The errors of the calls were only logged, and the next call came a minute later, for ever.
#[tokio::test]
async fn a_call_whose_outcome_stays_unknown_is_an_error() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().refused = u32::MAX;
    let collecting = collect(&tables);
    let losing = async {
        while !collecting.is_finished() {
            table.lock().unwrap().loses_answer = true;
            sleep(Duration::from_millis(5)).await;
        }
    };
    in_time(losing).await;
    let error = collecting.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Uncertain, "{error}");
    assert_eq!(compactions(&fake), vec![(None, None, 2); 3]);
}

/// The servers silently refuse any compaction while one with iterators has not ended completely. A
/// lost call has no effect either.
#[tokio::test]
async fn a_refused_compaction_without_iterators_is_started_again() {
    for loses_answer in [false, true] {
        let (table, fake, tables) = start([1; 3]).await;
        table.lock().unwrap().loses_answer = loses_answer;
        table.lock().unwrap().refused = 1;
        let compacted = in_time(tables.compact(PAGES, &Span::all(), Garbage::Keep)).await;
        compacted.unwrap();
        assert_eq!(compactions(&fake), vec![(None, None, 0); 2], "lost: {loses_answer}");
    }
}

/// A refused call was repeated, but the files that had been written meanwhile were not counted.
#[tokio::test]
async fn files_that_are_written_during_a_refusal_count() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().refused = 1;
    let collecting = collect(&tables);
    until("a call", || fake.count("compactTable") == 1).await;
    table.lock().unwrap().tablets[1].files = 9;
    collecting.await.unwrap().unwrap();
    let part = (Some(Bytes::from("g")), Some(Bytes::from("p")), 0);
    assert_eq!(compactions(&fake), [(None, None, 2), part, (None, None, 2)]);
}

/// Only tablets whose end row was not above `g` were read. After a merge there are none, and the
/// compaction seemed to stall.
#[tokio::test]
async fn a_merge_before_the_compaction_moves_the_rows_to_another_tablet() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().works = false;
    let collecting = collect_in(&tables, Span::rows("a", Some("c".into())));
    until("a call", || fake.count("compactTable") == 1).await;
    {
        let mut table = table.lock().unwrap();
        table.tablets.remove(0);
        (table.tablets[0].previous, table.works) = (b"\0", true);
    }
    in_time(collecting).await.unwrap().unwrap();
    let up_to_g = (None, Some(Bytes::from("g")), 2);
    assert!(compactions(&fake).iter().all(|call| *call == up_to_g));
}

/// The servers refuse a compaction silently while one with iterators has not ended completely.
#[tokio::test]
async fn a_compaction_without_any_sign_is_started_again() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().refused = 2;
    collect(&tables).await.unwrap().unwrap();
    assert_eq!(compactions(&fake).len(), 3);
}

/// A server that does not answer may run one.
#[tokio::test]
async fn waits_for_the_compaction_of_another_user() {
    for is_silent in [false, true] {
        let (table, fake, tables) = start([1; 3]).await;
        table.lock().unwrap().other_runs = !is_silent;
        table.lock().unwrap().is_silent = is_silent;
        let collecting = collect(&tables);
        until("looks", || fake.count("getActiveCompactions") > 2).await;
        assert_eq!(fake.count("compactTable"), 0, "silent: {is_silent}");
        table.lock().unwrap().other_runs = false;
        table.lock().unwrap().is_silent = false;
        collecting.await.unwrap().unwrap();
        assert_eq!(compactions(&fake).len(), 1, "silent: {is_silent}");
    }
}

#[tokio::test]
async fn the_deletion_of_the_table_ends_the_watch() {
    let (table, fake, tables) = start([1; 3]).await;
    table.lock().unwrap().works = false;
    let collecting = collect(&tables);
    until("a call", || fake.count("compactTable") == 1).await;
    table.lock().unwrap().is_deleted = true;
    let error = collecting.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
