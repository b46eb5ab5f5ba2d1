//! The heads of all pieces, so that most comparisons take one instruction.

/// What the heads of all pieces have in common, and with it eight bytes of each head that tell most of them apart.
///
/// Heads only grow. One that begins with the common bytes no more comes after all that do; when such a one is the
/// smallest, the common bytes are found anew.
#[derive(Debug, Default)]
pub(super) struct Heads {
    common: Vec<u8>,
}

/// The word of a head that comes after those with the common bytes, and of none.
pub(super) const LAST: u64 = u64::MAX;

impl Heads {
    /// Finds the common bytes.
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

    /// The word of a head: it orders heads, but for those whose words are the same.
    pub(super) fn word(&self, head: Option<&[u8]>) -> u64 {
        let Some(rest) = head.and_then(|head| head.strip_prefix(self.common.as_slice())) else {
            return LAST;
        };
        if let Some(word) = rest.first_chunk() {
            return u64::from_be_bytes(*word);
        }
        // A shorter rest comes before a longer one with zeros, or looks alike.
        let mut word = [0; 8];
        for (byte, of_rest) in word.iter_mut().zip(rest) {
            *byte = *of_rest;
        }
        u64::from_be_bytes(word)
    }
}
