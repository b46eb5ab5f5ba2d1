//! The merge of all pieces of one epoch, and of rows that are held from older ones.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fluo_table::{Bytes, Cell, Excerpt, Grouped, counted};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};

use super::batch::RowBatch;
use super::loser_tree::{Heads, LAST, Losers};
use super::memory::Memory;
use super::range_cursor::{Fetched, Head, Piece, Source, fetch};
use super::read::Read;
use super::scan::{EpochReader, Owner, ScanRun, UnknownKeys};
use crate::cells::{merged, size_bytes};
use crate::error::{RecipeError, Result};
use crate::key_design::RowRange;

/// Number of cells in the first read of a piece, unless a limit asks for fewer or the scan of the
/// piece stays open.
pub(super) const FIRST_CELLS: usize = 64;

pub(super) struct Merge {
    run: ScanRun,
    reader: EpochReader,
    /// The held rows of older epochs, oldest first, and then the pieces of the table.
    pieces: Vec<Piece>,
    /// The row that is merged from several epochs, if there are held rows.
    joined: Option<JoinedRow>,
    has_held: bool,
    losers: Losers,
    heads: Heads,
    /// Rows merged since the common prefix of the heads was computed.
    rows_of_heads: usize,
    /// The winner, and the head that it needs before the merge continues.
    unread: Option<(usize, Head)>,
    memory: Memory,
    fetches: FuturesUnordered<BoxFuture<'static, Fetched>>,
    /// Pieces to read, in this order.
    queue: VecDeque<usize>,
    live: usize,
    pub(super) rows_left: Option<u64>,
    /// The number of the batch that is being filled.
    batch: u64,
}

struct JoinedRow {
    unsalted: Bytes,
    row: Bytes,
    /// The cells under each key, oldest epoch first.
    places: Vec<Vec<Cell>>,
}

impl Merge {
    pub(super) fn new(
        run: ScanRun,
        epoch: usize,
        pieces: Vec<RowRange>,
        held: Vec<Read>,
        limit: Option<u64>,
    ) -> Self {
        let (first, live) = (held.len(), pieces.len());
        let reader = EpochReader { scan: Arc::clone(&run.scan), epoch };
        let pieces: Vec<_> = held
            .into_iter()
            .map(Piece::from_held)
            .chain(pieces.into_iter().map(|rows| Piece::new(rows, reader.head_len())))
            .collect();
        Self {
            reader,
            joined: None,
            has_held: first > 0,
            losers: Losers::default(),
            heads: Heads::default(),
            rows_of_heads: 0,
            unread: None,
            memory: Memory::new(run.scan.merge_bytes()),
            fetches: FuturesUnordered::new(),
            queue: (first..pieces.len()).collect(),
            live,
            rows_left: limit,
            batch: 0,
            pieces,
            run,
        }
    }

    pub(super) async fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        let most = self.memory.yielded_cells();
        let rows = self.rows_left.map_or(most, |rows| usize::try_from(rows).unwrap_or(most));
        let mut batch = RowBatch::new(self.run.scan.mark, rows.min(most));
        self.batch += 1;
        if self.batch == 1 {
            self.fill_all().await?;
            self.play_all();
        }
        while self.wants_more(&batch) {
            if let Some((number, least)) = self.unread.take() {
                self.fill(number, least).await?;
                self.replay(number);
            }
            if !self.take_rows(&mut batch)? {
                break;
            }
        }
        self.read_on()?;
        Ok((!batch.is_empty()).then_some(batch))
    }

    fn wants_more(&self, batch: &RowBatch) -> bool {
        self.rows_left != Some(0) && batch.cell_count() < self.memory.yielded_cells()
    }

    fn piece(&mut self, number: usize) -> &mut Piece {
        self.pieces.get_mut(number).expect("the number counts pieces")
    }

    fn replay(&mut self, winner: usize) {
        let word = self.heads.word(head_of(&self.pieces, winner));
        self.rows_of_heads += 1;
        self.losers.replay(word, is_less(&self.pieces));
        // Not after every row: examining all heads costs as much as several full comparisons.
        if self.losers.winner_word() == Some(LAST) && self.rows_of_heads >= self.pieces.len() {
            self.play_all();
        }
    }

    fn play_all(&mut self) {
        let heads = (0..self.pieces.len()).map(|number| head_of(&self.pieces, number));
        self.heads.find_common(heads.clone());
        let words: Vec<_> = heads.map(|head| self.heads.word(head)).collect();
        self.rows_of_heads = 0;
        self.losers.play_all(&words, is_less(&self.pieces));
    }

    /// Adds rows to the batch until it is full or a piece must be read. Returns `false` at the end
    /// of all pieces.
    fn take_rows(&mut self, batch: &mut RowBatch) -> Result<bool> {
        while self.wants_more(batch) {
            let number = self.losers.winner().unwrap_or_default();
            match self.pieces.get(number).map_or(Head::Missing, Piece::head) {
                Head::Missing => {
                    self.end_joined(batch);
                    return Ok(false);
                }
                Head::Open => {
                    self.unread = Some((number, Head::Whole));
                    return Ok(true);
                }
                Head::Whole => {}
            }
            self.take_row(number, batch)?;
            let piece = self.piece(number);
            piece.current.advance();
            if !piece.current.has_next() {
                self.unread = Some((number, Head::Open));
                return Ok(true);
            }
            self.replay(number);
        }
        Ok(true)
    }

    fn take_row(&mut self, number: usize, batch: &mut RowBatch) -> Result {
        let batch_number = self.batch;
        let has_held = self.has_held;
        let read = &mut self.piece(number).current;
        if let Some(key) = read.next_foreign().cloned() {
            let owner = self.reader.owner(&key, &mut Vec::new());
            if let (UnknownKeys::Refuse, Owner::Unknown(reason)) = (self.run.scan.foreign, owner) {
                return Err(RecipeError::key(format!(
                    "the scanned rows include a key of another design: {reason}; skip such keys"
                )));
            }
            self.run.skipped.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        if !has_held {
            read.add_next(batch, batch_number);
            self.count_row();
            return Ok(());
        }
        let unsalted = Bytes::copy_from_slice(read.next_unsalted().unwrap_or_default());
        let (row, cells) = (Bytes::copy_from_slice(read.next_row()), read.next_cells().to_vec());
        match &mut self.joined {
            Some(joined) if joined.unsalted == unsalted => joined.places.push(cells),
            _ => {
                self.end_joined(batch);
                self.joined = Some(JoinedRow { unsalted, row, places: vec![cells] });
            }
        }
        Ok(())
    }

    fn count_row(&mut self) {
        self.rows_left = self.rows_left.map(|left| left.saturating_sub(1));
    }

    fn end_joined(&mut self, batch: &mut RowBatch) {
        if let Some(JoinedRow { row, places, .. }) = self.joined.take() {
            let settings = &self.run.scan;
            let cells = merged(places, settings.epochs.versions, settings.filter);
            let count = cells.len();
            let read = batch.share(Arc::new(cells));
            batch.add(&row, read, 0..count);
            self.count_row();
        }
    }

    async fn fill_all(&mut self) -> Result {
        self.begin_queued();
        while let Some(fetched) = self.fetches.next().await {
            self.settle(fetched)?;
            self.begin_queued();
        }
        for number in 0..self.pieces.len() {
            self.fill(number, Head::Open).await?;
        }
        Ok(())
    }

    /// Reads until a piece has at least such a head, or has ended.
    async fn fill(&mut self, number: usize, least: Head) -> Result {
        loop {
            let piece = self.piece(number);
            let released = piece.turn();
            let (head, is_idle) = (piece.head(), piece.is_idle());
            let is_ended = matches!(piece.source, Source::Ended);
            self.memory.release(released);
            if head >= least {
                self.read_ahead(number);
                return self.read_on();
            }
            if is_ended {
                return Ok(());
            }
            if is_idle {
                self.queue.retain(|queued| *queued != number);
                self.begin(number);
            }
            if let Some(fetched) = self.fetches.next().await {
                self.settle(fetched)?;
            }
            self.begin_queued();
        }
    }

    /// Queues a read of a piece before its cells are needed, if memory allows.
    fn read_ahead(&mut self, number: usize) {
        let cells = self.wanted(number);
        let of_all = u64::try_from(cells.saturating_mul(self.live)).unwrap_or(u64::MAX);
        if self.piece(number).has_nothing_ahead()
            && self.rows_left.is_none_or(|rows| rows >= of_all)
            && self.memory.has_room_for(cells)
            && !self.queue.contains(&number)
        {
            self.queue.push_back(number);
        }
    }

    /// Processes the finished reads and starts queued ones, without waiting.
    fn read_on(&mut self) -> Result {
        self.begin_queued();
        while let Some(Some(fetched)) = self.fetches.next().now_or_never() {
            self.settle(fetched)?;
            self.begin_queued();
        }
        Ok(())
    }

    fn begin_queued(&mut self) {
        while self.fetches.len() < self.run.scan.concurrent_reads
            && let Some(number) = self.queue.pop_front()
        {
            self.begin(number);
        }
    }

    fn begin(&mut self, number: usize) {
        let cells = self.wanted(number);
        let most = self.memory.share(self.live);
        // Without a limit every piece is read to its end, so its first scan stays open.
        let is_long = cells >= most || self.rows_left.is_none();
        let stays_open = is_long && self.live <= self.run.scan.open_scans;
        let cells = if stays_open { most } else { cells };
        let piece = self.piece(number);
        piece.reads = piece.reads.saturating_add(1);
        let rest = piece.rest();
        let fetch = match std::mem::replace(&mut piece.source, Source::Reading) {
            // A scan that was opened when cells were smaller returns batches that are too large.
            Source::Open(open, of_cells) if of_cells / 2 <= cells => {
                fetch(number, open, of_cells, true)
            }
            _ => {
                let batch_cells = NonZeroUsize::new(cells).unwrap_or(NonZeroUsize::MIN);
                fetch(number, self.run.read(rest, batch_cells), batch_cells.get(), stays_open)
            }
        };
        self.fetches.push(fetch.boxed());
    }

    /// Returns the number of cells for the next read of a piece: few at first, more each time.
    fn wanted(&mut self, number: usize) -> usize {
        let (first, growth_bits) = match self.rows_left {
            None => (FIRST_CELLS, 4),
            Some(rows) => (first_of_limit(rows, self.live), 1),
        };
        let growth = 1_usize.checked_shl(growth_bits * self.piece(number).reads);
        first.saturating_mul(growth.unwrap_or(usize::MAX)).min(self.memory.share(self.live))
    }

    fn settle(&mut self, fetched: Fetched) -> Result {
        let cells = fetched.cells?;
        if matches!(fetched.source, Source::Ended) {
            self.live = self.live.saturating_sub(1);
        }
        let piece = self.pieces.get_mut(fetched.piece).expect("the number counts pieces");
        let was_open = piece.head() == Head::Open;
        let ((added, bytes), rows) = piece.record(cells, fetched.source);
        self.memory.hold(added, bytes);
        for cells in rows.into_iter().filter(|cells| !cells.is_empty()) {
            piece.ahead.push_back(Read::new(cells, &self.reader));
        }
        self.drop_row_of_another(fetched.piece);
        if was_open {
            // The tree has the open row, so the same row must stay the head of the piece.
            let released = self.piece(fetched.piece).turn();
            self.memory.release(released);
        }
        if self.memory.is_exceeded() {
            return Err(self.too_much());
        }
        let piece = self.piece(fetched.piece);
        if piece.head() == Head::Missing && piece.has_nothing_ahead() {
            self.queue.push_back(fetched.piece);
        } else if was_open {
            self.read_ahead(fetched.piece);
        }
        Ok(())
    }

    /// Drops the open row of a piece if a piece of another epoch yields it. Such a row is never a
    /// head.
    fn drop_row_of_another(&mut self, number: usize) {
        let piece = self.pieces.get_mut(number).expect("the number counts pieces");
        if self.run.scan.pieces.len() > 1
            && let Some(cell) = piece.open_row.first()
            && matches!(self.reader.owner(&cell.key.row, &mut Vec::new()), Owner::Another)
        {
            let dropped = std::mem::take(&mut piece.open_row);
            self.memory.release(dropped.iter().map(size_bytes).sum());
        }
    }

    fn too_much(&self) -> RecipeError {
        let waiting = |piece: &Piece| {
            let heads = [piece.current.next_cells(), &piece.open_row];
            let row = |cells: &[Cell]| {
                let row = cells.first()?.key.row.clone();
                Some((cells.iter().map(size_bytes).sum(), row))
            };
            heads.into_iter().filter_map(row).max()
        };
        let (largest, row): (usize, Bytes) =
            self.pieces.iter().filter_map(waiting).max().unwrap_or_default();
        RecipeError::settings(format!(
            "the scan holds {}, {} for the row {}, and may hold {}: raise `memory_bytes`",
            counted(self.memory.held, "byte"),
            Grouped::new(largest),
            Excerpt::new(&row),
            Grouped::new(self.run.scan.merge_bytes())
        ))
    }
}

/// Returns the number of cells in the first read of a piece if the scan is limited to `rows` rows.
///
/// That is an even share plus two standard deviations of the share under a random salt, so that
/// most pieces are read once.
pub(super) fn first_of_limit(rows: u64, pieces: usize) -> usize {
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let share = rows / pieces.max(1);
    if pieces == 1 { share.saturating_add(1) } else { share.saturating_add(2 * share.isqrt() + 4) }
}

/// Returns the part after the salt of the first key that is not yet merged.
fn head_of(pieces: &[Piece], number: usize) -> Option<&[u8]> {
    pieces.get(number)?.head_unsalted()
}

/// Returns a comparison of the heads of two pieces whose words are equal.
///
/// The unsalted keys are compared first. Equal ones, which drawn salts and epochs produce, are
/// ordered by the piece. A piece without a head sorts last.
fn is_less(pieces: &[Piece]) -> impl Fn(usize, usize) -> bool {
    move |one, other| {
        let (a, b) = (head_of(pieces, one), head_of(pieces, other));
        // `None` sorts last here, not first.
        let ends = a.is_none().cmp(&b.is_none());
        ends.then_with(|| a.cmp(&b)).then_with(|| one.cmp(&other)).is_lt()
    }
}
