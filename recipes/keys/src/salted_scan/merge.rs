//! The merge of all pieces.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fluo_table::{Bytes, Excerpt, Span};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{FuturesUnordered, StreamExt};

use super::batch::RowBatch;
use super::cursor::Mark;
use super::fetch::{Fetched, From, Selection, fetch};
use super::key_prefixes::{Heads, LAST};
use super::loser_tree::Losers;
use super::memory::{Memory, size_bytes};
use super::range_cursor::{Piece, Source};
use super::read::{Owner, OwnerOf, Read, Whose};
use super::settings::{MergeSettings, UnknownKeys};
use crate::error::RecipeError;

/// Number of cells in the first read of a piece, unless a limit asks for fewer.
pub(super) const FIRST_CELLS: usize = 64;

/// The first stored row of a piece, and the first stored row after it.
pub(super) type PieceRows = (Bytes, Option<Bytes>);

pub(super) fn piece_rows(span: &Span) -> PieceRows {
    let end = span.end().map(|end| end.row.clone());
    (span.start().row.clone(), end)
}

/// Checks whether a piece contains a stored key.
pub(super) fn is_in((start, end): &PieceRows, key: &[u8]) -> bool {
    start.as_ref() <= key && end.as_ref().is_none_or(|end| key < end.as_ref())
}

/// The pieces to merge, and the settings of the merge.
pub(super) struct MergeRequest {
    pub(super) pieces: Vec<PieceRows>,
    /// Number of leading bytes of a stored row that are its salt.
    pub(super) head_len: usize,
    pub(super) owner_of: OwnerOf,
    pub(super) settings: MergeSettings,
    pub(super) mark: Mark,
}

/// A merge in progress.
pub(super) struct Merge {
    request: MergeRequest,
    selection: Arc<Selection>,
    pieces: Vec<Piece>,
    losers: Losers,
    heads: Heads,
    /// Rows merged since the common prefix of the heads was computed.
    rows_of_heads: usize,
    stale: Stale,
    memory: Memory,
    /// The row that is being copied, if it is larger than a read, and the bytes of the reads that
    /// it spans so far.
    open_row: (Bytes, usize),
    fetches: FuturesUnordered<BoxFuture<'static, Fetched>>,
    /// Pieces to read, in this order.
    queue: VecDeque<usize>,
    live: usize,
    rows_left: Option<u64>,
    /// The number of the batch that is being filled.
    batch: u64,
    skipped: Arc<AtomicU64>,
}

/// The matches of the tree that must be replayed.
enum Stale {
    Nothing,
    Winner,
    All,
}

type Result<T = ()> = std::result::Result<T, RecipeError>;

impl Merge {
    pub(super) fn new(
        mut request: MergeRequest,
        selection: Selection,
        skipped: Arc<AtomicU64>,
    ) -> Self {
        let pieces: Vec<_> = std::mem::take(&mut request.pieces)
            .into_iter()
            .map(|(start, end)| Piece::new(start, end))
            .collect();
        Self {
            selection: Arc::new(selection),
            losers: Losers::default(),
            heads: Heads::default(),
            rows_of_heads: 0,
            stale: Stale::All,
            memory: Memory::new(request.settings.memory_bytes),
            open_row: Default::default(),
            fetches: FuturesUnordered::new(),
            queue: (0..pieces.len()).collect(),
            live: pieces.len(),
            rows_left: request.settings.limit,
            batch: 0,
            skipped,
            pieces,
            request,
        }
    }

    pub(super) async fn next_batch(&mut self) -> Result<Option<RowBatch>> {
        let mut batch = RowBatch::new(self.request.mark);
        self.batch += 1;
        let most = self.memory.yielded_cells();
        batch.reserve(
            self.rows_left.map_or(most, |rows| usize::try_from(rows).unwrap_or(most).min(most)),
        );
        while self.wants_more(&batch)
            && let Some(piece) = self.winner().await?
        {
            if let Some(open) = self.take_rows(piece, &mut batch)? {
                self.copy_row(open, &mut batch).await?;
            }
        }
        self.read_on()?;
        Ok((!batch.is_empty()).then_some(batch))
    }

    fn wants_more(&self, batch: &RowBatch) -> bool {
        self.rows_left != Some(0) && batch.cell_count() < self.memory.yielded_cells()
    }

    /// Returns the piece with the smallest head.
    async fn winner(&mut self) -> Result<Option<usize>> {
        match self.stale {
            Stale::Nothing => {}
            Stale::Winner => {
                if let Some(winner) = self.losers.winner() {
                    self.fill(winner).await?;
                    self.replay(winner);
                }
            }
            Stale::All => {
                self.fill_all().await?;
                self.play_all();
            }
        }
        self.stale = Stale::Nothing;
        let has_head = |winner: &usize| self.pieces.get(*winner).is_some_and(Piece::has_head);
        Ok(self.losers.winner().filter(has_head))
    }

    /// Replays the matches of the last winner.
    fn replay(&mut self, winner: usize) {
        let head_len = self.request.head_len;
        let word = self.heads.word(head_of(&self.pieces, head_len, winner));
        self.rows_of_heads += 1;
        self.losers.replay(word, is_less(&self.pieces, head_len));
        // Not after every row: examining all heads costs as much as several full comparisons.
        if self.losers.winner_word() == Some(LAST) && self.rows_of_heads >= self.pieces.len() {
            self.play_all();
        }
    }

    fn play_all(&mut self) {
        let head_len = self.request.head_len;
        let heads = (0..self.pieces.len()).map(|number| head_of(&self.pieces, head_len, number));
        self.heads.find_common(heads.clone());
        let words: Vec<_> = heads.map(|head| self.heads.word(head)).collect();
        self.rows_of_heads = 0;
        self.losers.play_all(&words, is_less(&self.pieces, head_len));
    }

    /// Adds rows to the batch, from a piece and from the winners after it, until a read is needed.
    ///
    /// Returns the piece whose first row may continue in its next read.
    fn take_rows(&mut self, first: usize, batch: &mut RowBatch) -> Result<Option<usize>> {
        let mut number = first;
        while self.wants_more(batch)
            && let Some(piece) = self.pieces.get_mut(number)
        {
            match add_row(&mut piece.current, batch, self.batch) {
                Added::Row => self.rows_left = self.rows_left.map(|left| left.saturating_sub(1)),
                Added::Nothing => {}
                Added::Foreign => self.pass_over(number)?,
                Added::MayGoOn => return Ok(Some(number)),
            }
            let Some(piece) = self.pieces.get_mut(number) else {
                return Ok(None);
            };
            piece.current.advance();
            if !piece.has_head() {
                self.stale = Stale::Winner;
                return Ok(None);
            }
            self.replay(number);
            number = self.losers.winner().unwrap_or(number);
        }
        Ok(None)
    }

    /// Copies the first row of a piece, which may continue in its next read, to the batch.
    async fn copy_row(&mut self, number: usize, batch: &mut RowBatch) -> Result {
        self.stale = Stale::Winner;
        while let Some(piece) = self.pieces.get_mut(number)
            && !piece.copy_row(batch)
        {
            // The batch keeps the cells that the piece releases.
            self.open_row.1 += piece.current.take_bytes();
            if let Some((row, _)) = batch.open_row() {
                self.open_row.0 = row.clone();
            }
            self.fill(number).await?;
        }
        let (_, bytes) = std::mem::take(&mut self.open_row);
        self.memory.release(bytes);
        self.close_row(batch)
    }

    /// Skips the first row of a piece, which has no owner, or ends the scan with an error.
    fn pass_over(&self, number: usize) -> Result {
        let key = self.pieces.get(number).and_then(|piece| piece.current.next_key());
        let owner = key.map(|key| (self.request.owner_of)(key, &mut Vec::new()));
        match owner {
            Some(Owner::Unknown(reason)) => self.pass_over_key(&reason),
            _ => Ok(()),
        }
    }

    fn pass_over_key(&self, reason: &RecipeError) -> Result {
        if self.request.settings.foreign == UnknownKeys::Refuse {
            return Err(RecipeError::key(format!(
                "the scanned rows include a key of another design: {reason}; skip such keys"
            )));
        }
        self.skipped.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps or drops the copied row, depending on its owner.
    fn close_row(&mut self, batch: &mut RowBatch) -> Result {
        let Some((key, row)) = batch.open_row() else {
            return Ok(());
        };
        match (self.request.owner_of)(key, row) {
            Owner::Reader => {
                batch.end_row();
                self.rows_left = self.rows_left.map(|left| left.saturating_sub(1));
            }
            Owner::Another => batch.drop_row(),
            Owner::Unknown(reason) => {
                let passed = self.pass_over_key(&reason);
                batch.drop_row();
                return passed;
            }
        }
        Ok(())
    }

    /// Reads the first cells of every piece.
    async fn fill_all(&mut self) -> Result {
        self.begin_queued();
        while let Some(fetched) = self.fetches.next().await {
            self.settle(fetched)?;
            self.begin_queued();
        }
        Ok(())
    }

    /// Reads until a piece has a head or has ended.
    async fn fill(&mut self, number: usize) -> Result {
        while let Some(piece) = self.pieces.get_mut(number)
            && !piece.has_head()
        {
            let released = piece.current.take_bytes();
            self.memory.release(released);
            if piece.turn() {
                self.read_ahead(number);
                self.read_on()?;
                return Ok(());
            }
            if matches!(piece.source, Source::Ended) {
                return Ok(());
            }
            if piece.is_idle() {
                self.queue.retain(|queued| *queued != number);
                self.begin(number);
            }
            if let Some(fetched) = self.fetches.next().await {
                self.settle(fetched)?;
            }
            self.begin_queued();
        }
        Ok(())
    }

    /// Queues a read of a piece before its cells are needed, if memory allows.
    fn read_ahead(&mut self, number: usize) {
        let cells = self.wanted(number);
        let is_wanted = |piece: &Piece| piece.is_idle() && piece.ahead.is_none();
        let of_all = u64::try_from(cells.saturating_mul(self.live)).unwrap_or(u64::MAX);
        if self.rows_left.is_none_or(|rows| rows >= of_all)
            && self.pieces.get(number).is_some_and(is_wanted)
            && self.memory.has_room_for(cells)
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
        while self.fetches.len() < self.request.settings.concurrent_reads
            && let Some(number) = self.queue.pop_front()
        {
            self.begin(number);
        }
    }

    fn begin(&mut self, number: usize) {
        let cells = self.wanted(number);
        let is_steady = cells >= self.memory.share(self.live);
        let stays_open = is_steady && self.live <= self.request.settings.open_scans;
        let Some(piece) = self.pieces.get_mut(number) else {
            return;
        };
        let from = match piece.begin() {
            // A scan that was opened when cells were smaller returns batches that are too large.
            Source::Open(open, of_cells) if of_cells / 2 <= cells => From::Open(open, of_cells),
            _ if stays_open => From::Start(piece.rest()),
            _ => From::Once(piece.rest()),
        };
        let cells = NonZeroUsize::new(cells).unwrap_or(NonZeroUsize::MIN);
        let fetch = fetch(self.selection.clone(), number, from, cells);
        self.fetches.push(fetch.boxed());
    }

    /// Returns the number of cells for the next read of a piece: few at first, more each time.
    fn wanted(&self, number: usize) -> usize {
        let reads = self.pieces.get(number).map_or(0, |piece| piece.reads);
        let (first, growth_bits) = match self.rows_left {
            None => (FIRST_CELLS, 4),
            Some(rows) => (first_of_limit(rows, self.live), 1),
        };
        let growth = 1_usize.checked_shl(growth_bits * reads).unwrap_or(usize::MAX);
        first.saturating_mul(growth).min(self.memory.share(self.live))
    }

    fn settle(&mut self, fetched: Fetched) -> Result {
        let cells = fetched.cells?;
        let Some(piece) = self.pieces.get_mut(fetched.piece) else {
            return Ok(());
        };
        if fetched.is_end {
            self.live = self.live.saturating_sub(1);
        }
        let (cells, is_whole) = piece.record(cells, fetched.open, fetched.is_end);
        if !cells.is_empty() {
            let (head_len, owner_of) = (self.request.head_len, &self.request.owner_of);
            let read = Read::new(cells, is_whole, head_len, owner_of);
            self.memory.hold(read.cell_count(), read.bytes);
            piece.add(read);
        }
        if self.memory.is_exceeded() {
            return Err(self.too_much());
        }
        self.read_ahead(fetched.piece);
        Ok(())
    }

    fn too_much(&self) -> RecipeError {
        let row_bytes = |piece: &Piece| {
            let cells = piece.current.next_cells()?;
            let row = cells.first()?.key.row.clone();
            Some((row, cells.iter().map(size_bytes).sum()))
        };
        let heads = self.pieces.iter().filter_map(row_bytes);
        let largest = heads.chain([self.open_row.clone()]).max_by_key(|(_, bytes)| *bytes);
        let (row, largest) = largest.unwrap_or_default();
        RecipeError::settings(format!(
            "the scan holds {} bytes, {largest} for the row {}, and may hold {}: raise `memory_bytes`",
            self.memory.held(),
            Excerpt::new(&row),
            self.memory.bound()
        ))
    }
}

/// The outcome of adding the first row of a read to a batch.
enum Added {
    /// The row was added.
    Row,
    /// The row belongs to another reader, or there is no row.
    Nothing,
    /// The row has no owner.
    Foreign,
    /// The row may continue in the next read.
    MayGoOn,
}

/// Adds the first row of a read to the batch with this number, if the row is whole and belongs to
/// the reader.
fn add_row(read: &mut Read, batch: &mut RowBatch, number: u64) -> Added {
    let shared = read.shared_in(number, |cells| batch.share(cells));
    let Some(row) = read.next_row() else {
        return Added::Nothing;
    };
    if row.may_go_on {
        return Added::MayGoOn;
    }
    match row.whose {
        Whose::Reader { .. } => batch.add_shared(row.text, shared, row.cells),
        Whose::Another => return Added::Nothing,
        Whose::Unknown => return Added::Foreign,
    }
    Added::Row
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
fn head_of(pieces: &[Piece], head_len: usize, number: usize) -> Option<&[u8]> {
    pieces.get(number)?.current.next_unsalted(head_len)
}

/// Returns a comparison of the heads of two pieces whose words are equal.
///
/// The unsalted keys are compared first. Equal ones, which only random salts produce, are ordered
/// by the salt. A piece without a head sorts last.
fn is_less(pieces: &[Piece], head_len: usize) -> impl Fn(usize, usize) -> bool {
    move |one, other| {
        let (a, b) = (head_of(pieces, head_len, one), head_of(pieces, head_len, other));
        // `None` sorts last here, not first.
        let ends = a.is_none().cmp(&b.is_none());
        ends.then_with(|| a.cmp(&b)).then_with(|| one.cmp(&other)).is_lt()
    }
}
