//! The queues of recipes beside what an application does without them, on the embedded table, in
//! one run: `cargo bench -p fluo-tests --bench queues -- [FILE]`.
//!
//! - Words of lines, counted from 64 tasks: by a combine queue, until the observer has combined
//!   all; and with one cell for each word, which each transaction reads and sets.
//! - The cost of an update when 100,000 and when 1,000,000 updates have been added, by a worker
//!   that collects garbage and by one that does not.
//! - Cells of another table, one for each of many pages: by an export queue and a table sink, until
//!   all are exported; and by plain transactions.
//!
//! Words and exports are processed by 4 observers at once, and by 32.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::future::ready;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fluo_engine::{
    ApplicationHandle, Client, Column, Instance, InstanceExt, Transaction, Worker, WorkerOptions,
};
use fluo_recipes::TypedColumn;
use fluo_recipes::combine_queue::{CombineQueue, Sum};
use fluo_recipes::export_queue::{Export, ExportQueue};
use fluo_recipes::sink::TableSink;
use fluo_table::{Authorizations, Mutation, TableAdmin, Versions};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;
type Counts = CombineQueue<String, u64>;

const HOME_PAGES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/package-homepages.txt");
/// Updates of a transaction of the growing queue.
const BATCH: u64 = 100;
/// Keys of the growing queue.
const KEYS: u64 = 50_000;
/// Cells that are exported, each in a transaction of its own.
const EXPORTS: usize = 40_000;
/// The time from one collection of garbage to the next.
const GARBAGE_PERIOD: Duration = Duration::from_secs(3);
/// Observers that run at once: two for each of two processors, and the default of a worker.
const TASKS: [usize; 2] = [4, 32];

#[tokio::main]
async fn main() -> Outcome {
    let file = std::env::args().skip(1).find(|argument| argument != "--bench");
    let text = fs::read_to_string(file.as_deref().unwrap_or(HOME_PAGES))?;
    let lines: Vec<&str> = text.lines().collect();
    let directory = tempfile::tempdir()?;
    for tasks in TASKS {
        count_words(directory.path(), &lines, tasks).await?;
        export(directory.path(), &lines, tasks).await?;
    }
    grow(directory.path(), true).await?;
    grow(directory.path(), false).await
}

fn worker_of(client: &Client, tasks: usize) -> WorkerOptions {
    client.worker().garbage_period(GARBAGE_PERIOD).tasks(tasks)
}

/// A running application with its worker, which collects garbage.
struct App {
    client: Client,
    worker: Worker,
}

impl App {
    async fn start(fluo: &Instance, application: ApplicationHandle, tasks: usize) -> Outcome<Self> {
        let client = application.create().await?;
        let worker =
            worker_of(&client, tasks).collect_garbage(Arc::new(fluo.clone())).start().await?;
        Ok(Self { client, worker })
    }

    /// Loads inputs from 64 tasks, and waits until the observers have done all of it.
    async fn load<T: Clone + Send + Sync + 'static>(
        self,
        inputs: impl IntoIterator<Item = T>,
        load: impl Fn(&Transaction, T) -> fluo_engine::Result<()> + Clone + Send + Sync + 'static,
    ) -> Outcome<Duration> {
        let begin = Instant::now();
        self.add(inputs, load).await?;
        self.client.wait_until_idle().await?;
        let time = begin.elapsed();
        self.worker.stop().await;
        Ok(time)
    }

    async fn add<T: Clone + Send + Sync + 'static>(
        &self,
        inputs: impl IntoIterator<Item = T>,
        load: impl Fn(&Transaction, T) -> fluo_engine::Result<()> + Clone + Send + Sync + 'static,
    ) -> Outcome {
        let loaders = self.client.loaders().tasks(64).start()?;
        for input in inputs {
            let load = load.clone();
            loaders.load(input, move |tx: Transaction, input| ready(load(&tx, input))).await?;
        }
        loaders.finish().await?;
        Ok(())
    }
}

async fn count_words(directory: &Path, lines: &[&str], tasks: usize) -> Outcome {
    let fluo = fluo_embedded::open(directory.join(format!("words-{tasks}")))?;
    let words = Counts::new("wc", Sum)?;
    let app = App::start(&fluo, fluo.application("queue").recipe(&words), tasks).await?;
    let inputs = lines.iter().map(|line| counts(line));
    let queue = app.load(inputs, move |tx, counts| words.extend(tx, counts)).await?;

    let app = App::start(&fluo, fluo.application("cells"), tasks).await?;
    let begin = Instant::now();
    let loaders = app.client.loaders().tasks(64).start()?;
    for line in lines {
        loaders.load(counts(line), add_to_cells).await?;
    }
    loaders.finish().await?;
    let cells = begin.elapsed();
    app.worker.stop().await;
    say(&format!(
        "words of {} lines, {tasks} observers at once: combine queue {:.0} lines/s, one cell a word {:.0} lines/s: {:.1} times",
        lines.len(),
        rate(lines.len(), queue),
        rate(lines.len(), cells),
        cells.as_secs_f64() / queue.as_secs_f64()
    ))
}

/// Adds the counts of words to their cells.
async fn add_to_cells(tx: Transaction, counts: BTreeMap<String, u64>) -> fluo_engine::Result<()> {
    const COUNT: TypedColumn<u64> = TypedColumn::new("word", "count");
    for (word, count) in counts {
        COUNT.increment(&tx, word, count).await?;
    }
    Ok(())
}

fn counts(line: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    let words = line.split(|letter: char| !letter.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        *counts.entry(word.to_owned()).or_default() += 1;
    }
    counts
}

/// Prints the cost of updates at first and after many others.
async fn grow(directory: &Path, collects: bool) -> Outcome {
    let directory = directory.join(format!("growing-{collects}"));
    let fluo = fluo_embedded::open(&directory)?;
    let counts = Counts::new("wc", Sum)?;
    let client = fluo.application("growing").recipe(&counts).create().await?;
    let mut worker = worker_of(&client, TASKS[0]);
    if collects {
        worker = worker.collect_garbage(Arc::new(fluo));
    }
    let worker = worker.start().await?;
    let app = App { client, worker };
    let mut costs = Vec::new();
    for round in 0..10_u64 {
        let begin = Instant::now();
        let batches = (0..100_000 / BATCH).map(|batch| round * 100_000 + batch * BATCH);
        let counts = counts.clone();
        let add = move |tx: &Transaction, first: u64| {
            let key = |number: u64| ((number * 2_654_435_761) % KEYS).to_string();
            counts.extend(tx, (first..first + BATCH).map(|number| (key(number), 1)))
        };
        app.add(batches, add).await?;
        app.client.wait_until_idle().await?;
        costs.push(begin.elapsed());
    }
    app.worker.stop().await;
    let [first, second, .., last] = costs.as_slice() else { return Ok(()) };
    say(&format!(
        "100,000 updates {} collection of garbage: {:.0}/s at first, {:.0}/s after 100,000, {:.0}/s after 900,000: {:.2} \
         times the cost of the first, {:.2} times that of the second",
        if collects { "with" } else { "without" },
        rate(100_000, *first),
        rate(100_000, *second),
        rate(100_000, *last),
        last.as_secs_f64() / first.as_secs_f64(),
        last.as_secs_f64() / second.as_secs_f64()
    ))
}

async fn export(directory: &Path, lines: &[&str], tasks: usize) -> Outcome {
    let fluo = fluo_embedded::open(directory.join(format!("exports-{tasks}")))?;
    fluo.create_table("target", Versions::default()).await?;
    let target = fluo.open_table("target", Authorizations::none()).await?;
    let queue = ExportQueue::<String, String>::new("eq")?;
    let sink = TableSink::new(&queue, target, |export: &Export<String, String>| {
        Ok(vec![Mutation::new(export.key.clone()).put(title(), export.value.clone())])
    });
    let queue = queue.export_with(sink);
    let app = App::start(&fluo, fluo.application("queue").recipe(&queue), tasks).await?;
    // Fewer would measure the start and the end of a worker.
    let numbered = || lines.iter().cycle().enumerate().take(EXPORTS);
    let pages = || numbered().map(|(number, line)| format!("{line}#{number}"));
    let add = move |tx: &Transaction, page| queue.add(tx, page, "a title".to_owned());
    let exported = app.load(pages(), add).await?;

    let app = App::start(&fluo, fluo.application("plain"), tasks).await?;
    let set = |tx: &Transaction, page: String| tx.set(page, &title(), "a title");
    let plain = app.load(pages(), set).await?;
    say(&format!(
        "{EXPORTS} cells, {tasks} observers at once: export queue and table sink {:.0}/s, plain transactions {:.0}/s: {:.2} of the rate",
        rate(EXPORTS, exported),
        rate(EXPORTS, plain),
        plain.as_secs_f64() / exported.as_secs_f64()
    ))
}

fn title() -> Column {
    Column::new("page", "title")
}

#[expect(clippy::cast_precision_loss, reason = "numbers of this size are exact")]
fn rate(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

fn say(line: &str) -> Outcome {
    writeln!(std::io::stdout(), "{line}")?;
    Ok(())
}
