//! The heads of all pieces, shortened to words so that most comparisons take one instruction.

/// The common prefix of the heads of all pieces. With it, eight bytes of each head distinguish most
/// of them.
///
/// Heads only grow. A head that no longer begins with the common prefix sorts after all that do;
/// when such a head is the smallest, the common prefix is computed again.
#[derive(Debug, Default)]
pub(super) struct Heads {
    common: Vec<u8>,
}

/// The word of a missing head, and of a head that sorts after those with the common prefix.
pub(super) const LAST: u64 = u64::MAX;

impl Heads {
    pub(super) fn find_common<'a>(&mut self, heads: impl Iterator<Item = Option<&'a [u8]>>) {
        let mut known = heads.flatten();
        let first = known.next().unwrap_or_default();
        let common = known.fold(first.len(), |common, head| {
            let same = first.iter().zip(head).take(common);
            same.take_while(|(one, other)| one == other).count()
        });
        self.common.clear();
        self.common.extend(first.iter().take(common));
    }

    /// Returns the word of a head. Words order heads, except heads with equal words.
    pub(super) fn word(&self, head: Option<&[u8]>) -> u64 {
        let Some(rest) = head.and_then(|head| head.strip_prefix(self.common.as_slice())) else {
            return LAST;
        };
        if let Some(word) = rest.first_chunk() {
            return u64::from_be_bytes(*word);
        }
        // A shorter rest sorts before a longer one with zeros, or has the same word.
        let mut word = [0; 8];
        for (byte, of_rest) in word.iter_mut().zip(rest) {
            *byte = *of_rest;
        }
        u64::from_be_bytes(word)
    }
}
