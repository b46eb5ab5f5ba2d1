//! The heads of all pieces, so that most comparisons take one instruction.

/// What is known of the head of each piece: eight bytes of it, after those that the heads have in common.
///
/// Heads only grow. One that begins with the common bytes no more comes after all that do; when such a one is the
/// smallest, the common bytes are found anew.
#[derive(Debug, Default)]
pub(super) struct Heads {
    common: Vec<u8>,
    words: Vec<u64>,
}

/// The word of a head that comes after those with the common bytes, and of none.
const LAST: u64 = u64::MAX;

impl Heads {
    /// Finds the common bytes, and takes note of all heads.
    pub(super) fn set_all<'a>(&mut self, heads: impl Iterator<Item = Option<&'a [u8]>> + Clone) {
        let mut known = heads.clone().flatten();
        let first = known.next().unwrap_or_default();
        let common = known.fold(first.len(), |common, head| {
            let same = first.iter().zip(head).take(common);
            same.take_while(|(one, other)| one == other).count()
        });
        self.common.clear();
        self.common.extend(first.iter().take(common));
        self.words.clear();
        for head in heads {
            let word = self.word(head);
            self.words.push(word);
        }
    }

    /// Takes note of the head of a piece.
    pub(super) fn set(&mut self, piece: usize, head: Option<&[u8]>) {
        let word = self.word(head);
        if let Some(known) = self.words.get_mut(piece) {
            *known = word;
        }
    }

    /// Whether a piece has a head that does not begin with the common bytes.
    pub(super) fn is_past_common(&self, piece: usize) -> bool {
        self.words.get(piece) == Some(&LAST)
    }

    /// What can be said of two heads without looking at them; Equal if that is nothing.
    pub(super) fn cmp(&self, one: usize, other: usize) -> std::cmp::Ordering {
        self.words.get(one).cmp(&self.words.get(other))
    }

    fn word(&self, head: Option<&[u8]>) -> u64 {
        let Some(rest) = head.and_then(|head| head.strip_prefix(self.common.as_slice())) else {
            return LAST;
        };
        // A shorter rest comes before a longer one with zeros, or looks alike.
        let mut word = [0; 8];
        for (byte, of_rest) in word.iter_mut().zip(rest) {
            *byte = *of_rest;
        }
        u64::from_be_bytes(word)
    }
}
