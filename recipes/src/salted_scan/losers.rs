//! Which of many sorted sequences has the smallest head.

/// A tree of losers (Knuth, volume 3, 5.4.1): after the head of the winner has changed, the next winner is found with
/// one comparison for each level of the tree.
///
/// Each player has a word with which most matches are decided. Where two are the same, a closure decides.
#[derive(Debug, Default)]
pub(super) struct Losers {
    /// At `n` from 1 on, who lost the match of node `n`; at 0, who won all.
    nodes: Vec<Entrant>,
}

#[derive(Clone, Copy, Debug)]
struct Entrant {
    word: u64,
    player: usize,
}

/// Nobody has played at a node yet.
const NOBODY: Entrant = Entrant {
    word: u64::MAX,
    player: usize::MAX,
};

impl Losers {
    /// Plays all matches anew, between players with these words.
    pub(super) fn play_all(&mut self, words: &[u64], is_less: impl Fn(usize, usize) -> bool) {
        self.nodes.clear();
        self.nodes.resize(words.len(), NOBODY);
        for (player, &word) in words.iter().enumerate() {
            self.play(Entrant { word, player }, &is_less);
        }
    }

    /// Who won all; none without players.
    pub(super) fn winner(&self) -> Option<usize> {
        self.nodes.first().map(|winner| winner.player)
    }

    /// The word of who won all.
    pub(super) fn winner_word(&self) -> Option<u64> {
        self.nodes.first().map(|winner| winner.word)
    }

    /// Plays the matches of the winner anew, who has another word now.
    pub(super) fn replay(&mut self, word: u64, is_less: impl Fn(usize, usize) -> bool) {
        if let Some(player) = self.winner() {
            self.play(Entrant { word, player }, &is_less);
        }
    }

    /// Plays from a leaf upwards, until all is won or an opponent has yet to come.
    fn play(&mut self, entrant: Entrant, is_less: &impl Fn(usize, usize) -> bool) {
        let mut entrant = entrant;
        let mut node = usize::midpoint(self.nodes.len(), entrant.player);
        if let [only] = self.nodes.as_mut_slice() {
            *only = entrant;
            return;
        }
        while node > 0 {
            let Some(loser) = self.nodes.get_mut(node) else {
                return;
            };
            if loser.player == NOBODY.player {
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
            // Words that leave ties.
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
