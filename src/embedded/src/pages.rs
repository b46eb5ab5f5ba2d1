//! The search for tables with corrupt pages.
//!
//! The storage engine says only whether all pages have theirs. This walks the trees of its file,
//! whose format the engine's own page on its design describes (file format 3), and locates pages
//! with wrong checksums after the engine reported damage, to name the table and row in the message.
//!
//! ```text
//! header   offset 9: flags, bit 0 the current slot; 12: page size; 16: pages of a region's header; 20: of its data
//! slot     at 64 and 192: offset 1: has tables; 8: root of the map of tables
//! root     page number (8), checksum (16), length (8)
//! branch   02, 1 byte, number of keys (2), 4 bytes, checksums of children (16 each), their page numbers (8 each),
//!          ends of keys (4 each), keys
//! leaf     01, 1 byte, number of pairs (2), ends of keys (4 each), ends of values (4 each; none if they have one
//!          width), keys, values
//! ```

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use xxhash_rust::xxh3::xxh3_128;

const BRANCH: u8 = 2;
/// The largest power of two of pages that the engine joins to one.
const MAX_ORDER: u64 = 20;
const LEAF: u8 = 1;
/// Deepest tree that is followed; damage can make one that has no end.
const MAX_DEPTH: usize = 32;
/// Most pages that are named.
const MAX_PAGES: usize = 20;

/// A page without its checksum.
#[derive(Debug)]
pub(crate) struct BadPage {
    /// The map of the engine that it is of; `None` if it is of the map of all maps.
    pub(crate) map: Option<String>,
    /// The first key that the page has, or seems to have; `None` if it is no leaf.
    pub(crate) key: Option<Vec<u8>>,
}

/// The bad pages of a file, and what was found on the way to them.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) bad: Vec<BadPage>,
    /// The pairs of the map `tables` on whole pages.
    pub(crate) tables: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A page and the checksum that it should have.
#[derive(Clone, Copy)]
struct Link {
    page: u64,
    checksum: u128,
}

/// Positions of the pages in the file.
struct Layout<'a> {
    file: &'a File,
    page_size: u64,
    header_pages: u64,
    data_pages: u64,
}

/// Finds the bad pages of a file. `None` if its header makes no sense.
pub(crate) fn walk(file: &File) -> Option<Walk> {
    let mut header = [0; 320];
    read_at(file, 0, &mut header).ok()?;
    let layout = Layout {
        file,
        page_size: u32_at(&header, 12)?.into(),
        header_pages: u32_at(&header, 16)?.into(),
        data_pages: u32_at(&header, 20)?.into(),
    };
    let slot = if header.get(9)? & 1 == 0 { 64 } else { 192 };
    let slot: &[u8] = header.get(slot..slot + 128)?;
    let mut walk = Walk::default();
    if *slot.get(1)? == 0 {
        return Some(walk);
    }
    let mut maps = Vec::new();
    layout.follow(
        link(slot, 8)?,
        None,
        MAX_DEPTH,
        &mut walk.bad,
        None,
        &mut |name, value| {
            maps.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
        },
    );
    for (name, definition) in maps {
        // Kind (1), length (8), whether there is a root (1), the root (32), the width of keys (5)
        // and values (5).
        let (Some(1), Some(root)) = (definition.get(9), link(&definition, 10)) else {
            continue;
        };
        let width = match definition.get(47) {
            Some(1) => u32_at(&definition, 48),
            _ => None,
        };
        let tables = &mut walk.tables;
        let is_tables = name == "tables";
        layout.follow(
            root,
            width,
            MAX_DEPTH,
            &mut walk.bad,
            Some(&name),
            &mut |key, value| {
                if is_tables {
                    tables.push((key.to_vec(), value.to_vec()));
                }
            },
        );
    }
    Some(walk)
}

impl Layout<'_> {
    /// Follows a tree whose keys have any width, and passes the pairs of its whole leaves on.
    fn follow(
        &self,
        link: Link,
        value_width: Option<u32>,
        depth: usize,
        bad: &mut Vec<BadPage>,
        map: Option<&str>,
        pair: &mut impl FnMut(&[u8], &[u8]),
    ) {
        if bad.len() >= MAX_PAGES {
            return;
        }
        let page = self.page(link.page).unwrap_or_default();
        let leaf = Leaf::new(&page, value_width);
        let children = children(&page);
        let end = match (&leaf, &children) {
            (Some(leaf), _) => leaf.end(),
            (_, Some((_, end))) => Some(*end),
            _ => None,
        };
        let content = end.and_then(|end| page.get(..end));
        if depth == 0 || content.is_none_or(|content| xxh3_128(content) != link.checksum) {
            let first = leaf.as_ref().and_then(|leaf| leaf.pair(0));
            bad.push(BadPage {
                map: map.map(str::to_owned),
                key: first.map(|(key, _)| key.to_vec()),
            });
            return;
        }
        for child in children.map(|(children, _)| children).unwrap_or_default() {
            self.follow(child, value_width, depth - 1, bad, map, pair);
        }
        if let Some(leaf) = leaf {
            (0..leaf.pairs)
                .filter_map(|n| leaf.pair(n))
                .for_each(|(key, value)| pair(key, value));
        }
    }

    fn page(&self, number: u64) -> Option<Vec<u8>> {
        let order = number >> 59;
        if order > MAX_ORDER {
            return None;
        }
        let index = number & (0x000F_FFFF >> order);
        let region = (number >> 20) & 0x000F_FFFF;
        let bytes = self.page_size.checked_shl(u32::try_from(order).ok()?)?;
        let region_pages = self.header_pages.checked_add(self.data_pages)?;
        let region = region_pages
            .checked_mul(self.page_size)?
            .checked_mul(region)?;
        let first = self
            .header_pages
            .checked_add(1)?
            .checked_mul(self.page_size)?;
        let at = first
            .checked_add(region)?
            .checked_add(index.checked_mul(bytes)?)?;
        // No page is larger than its region, whatever a damaged number says; so this bounds the
        // memory.
        let of_region = self.data_pages.checked_mul(self.page_size)?;
        if bytes > of_region || at.checked_add(bytes)? > self.file.metadata().ok()?.len() {
            return None;
        }
        let mut page = vec![0; usize::try_from(bytes).ok()?];
        read_at(self.file, at, &mut page).ok()?;
        Some(page)
    }
}

/// A leaf as it seems to be.
struct Leaf<'a> {
    page: &'a [u8],
    value_width: Option<u32>,
    pairs: usize,
}

impl<'a> Leaf<'a> {
    fn new(page: &'a [u8], value_width: Option<u32>) -> Option<Self> {
        let pairs = usize::from(u16_at(page, 2)?);
        (page.first() == Some(&LEAF) && pairs > 0).then_some(Self {
            page,
            value_width,
            pairs,
        })
    }

    fn end(&self) -> Option<usize> {
        self.value_end(self.pairs.checked_sub(1)?)
    }

    fn pair(&self, n: usize) -> Option<(&'a [u8], &'a [u8])> {
        let ends = if self.value_width.is_none() { 8 } else { 4 };
        let (key, value) = match n.checked_sub(1) {
            None => (
                4 + ends * self.pairs,
                self.key_end(self.pairs.checked_sub(1)?)?,
            ),
            Some(before) => (self.key_end(before)?, self.value_end(before)?),
        };
        let key = self.page.get(key..self.key_end(n)?)?;
        Some((key, self.page.get(value..self.value_end(n)?)?))
    }

    fn key_end(&self, n: usize) -> Option<usize> {
        usize::try_from(u32_at(self.page, 4 + 4 * n)?).ok()
    }

    fn value_end(&self, n: usize) -> Option<usize> {
        match self.value_width {
            None => usize::try_from(u32_at(self.page, 4 + 4 * (self.pairs + n))?).ok(),
            Some(width) => {
                let start = self.key_end(self.pairs.checked_sub(1)?)?;
                start.checked_add(usize::try_from(width).ok()?.checked_mul(n + 1)?)
            }
        }
    }
}

/// Returns the children of a branch as it seems to be, and where its content ends.
fn children(page: &[u8]) -> Option<(Vec<Link>, usize)> {
    let keys = usize::from(u16_at(page, 2)?);
    if page.first() != Some(&BRANCH) || keys == 0 {
        return None;
    }
    let children = keys + 1;
    let child = |n| {
        Some(Link {
            checksum: u128::from_le_bytes(*page.get(8 + 16 * n..)?.first_chunk()?),
            page: u64_at(page, 8 + 16 * children + 8 * n)?,
        })
    };
    let links: Option<Vec<_>> = (0..children).map(child).collect();
    let end = u32_at(page, 8 + 24 * children + 4 * (keys - 1))?;
    Some((links?, usize::try_from(end).ok()?))
}

fn link(bytes: &[u8], at: usize) -> Option<Link> {
    Some(Link {
        page: u64_at(bytes, at)?,
        checksum: u128::from_le_bytes(*bytes.get(at + 8..)?.first_chunk()?),
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn read_at(mut file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(into)
}
