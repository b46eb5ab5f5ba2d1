//! A tournament tree that finds the smallest head among many sorted sequences.

/// A loser tree (Knuth, volume 3, 5.4.1): after the winner's head has changed, finding the next
/// winner takes one comparison for each level of the tree.
///
/// Each player has a word that decides most matches. A closure decides between equal words.
#[derive(Debug, Default)]
pub(super) struct Losers {
    /// The loser of the match at node `n`, for `n` from 1; the overall winner at index 0.
    nodes: Vec<Entrant>,
}

#[derive(Clone, Copy, Debug)]
struct Entrant {
    word: u64,
    player: usize,
}

/// A node at which no match has been played yet.
const NO_ENTRANT: Entrant = Entrant { word: u64::MAX, player: usize::MAX };

impl Losers {
    pub(super) fn play_all(&mut self, words: &[u64], is_less: impl Fn(usize, usize) -> bool) {
        self.nodes.clear();
        self.nodes.resize(words.len(), NO_ENTRANT);
        for (player, &word) in words.iter().enumerate() {
            self.play(Entrant { word, player }, &is_less);
        }
    }

    pub(super) fn winner(&self) -> Option<usize> {
        self.nodes.first().map(|winner| winner.player)
    }

    pub(super) fn winner_word(&self) -> Option<u64> {
        self.nodes.first().map(|winner| winner.word)
    }

    /// Replays the matches of the winner, whose word has changed.
    pub(super) fn replay(&mut self, word: u64, is_less: impl Fn(usize, usize) -> bool) {
        if let Some(player) = self.winner() {
            self.play(Entrant { word, player }, &is_less);
        }
    }

    /// Plays from a leaf upwards, until the root is reached or an opponent is missing.
    fn play(&mut self, entrant: Entrant, is_less: &impl Fn(usize, usize) -> bool) {
        let mut entrant = entrant;
        let mut node = usize::midpoint(self.nodes.len(), entrant.player);
        while node > 0 {
            let Some(loser) = self.nodes.get_mut(node) else {
                return;
            };
            if loser.player == NO_ENTRANT.player {
                *loser = entrant;
                return;
            }
            let is_beaten = loser.word < entrant.word
                || loser.word == entrant.word && is_less(loser.player, entrant.player);
            if is_beaten {
                std::mem::swap(loser, &mut entrant);
            }
            node /= 2;
        }
        if let Some(winner) = self.nodes.first_mut() {
            *winner = entrant;
        }
    }
}

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sequences_are_merged_in_order(mut sequences in proptest::collection::vec(proptest::collection::vec(0_u32..100, 0..6), 0..9)) {
            for sequence in &mut sequences {
                sequence.sort_unstable();
                sequence.reverse();
            }
            let mut expected = sequences.concat();
            expected.sort_unstable();

            let mut losers = Losers::default();
            let head = |all: &[Vec<u32>], player: usize| all[player].last().copied().unwrap_or(u32::MAX);
            // Coarse words, so that some are equal.
            let word = |all: &[Vec<u32>], player: usize| u64::from(head(all, player) / 10);
            let words: Vec<_> = (0..sequences.len()).map(|player| word(&sequences, player)).collect();
            losers.play_all(&words, |a, b| head(&sequences, a) < head(&sequences, b));
            let mut merged = Vec::new();
            while let Some(winner) = losers.winner()
                && let Some(next) = sequences[winner].pop()
            {
                merged.push(next);
                let word = word(&sequences, winner);
                losers.replay(word, |a, b| head(&sequences, a) < head(&sequences, b));
                prop_assert_eq!(losers.winner_word(), losers.winner().map(|winner| u64::from(head(&sequences, winner) / 10)));
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
