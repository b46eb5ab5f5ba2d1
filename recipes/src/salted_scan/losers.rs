//! Which of many sorted sequences has the smallest head.

/// A tree of losers (Knuth, volume 3, 5.4.1): after the head of the winner has changed, the next winner is found with
/// one comparison for each level of the tree.
#[derive(Debug, Default)]
pub(super) struct Losers {
    /// At `n` from 1 on, who lost the match of node `n`; at 0, who won all.
    nodes: Vec<usize>,
}

/// Nobody has played at a node yet.
const NOBODY: usize = usize::MAX;

impl Losers {
    /// Plays all matches anew, between this many players.
    pub(super) fn play_all(&mut self, players: usize, is_less: impl Fn(usize, usize) -> bool) {
        self.nodes = vec![NOBODY; players];
        for player in 0..players {
            self.play(player, &is_less);
        }
    }

    /// Who won all; none without players.
    pub(super) fn winner(&self) -> Option<usize> {
        self.nodes.first().copied()
    }

    /// Plays the matches of the winner anew.
    pub(super) fn replay(&mut self, is_less: impl Fn(usize, usize) -> bool) {
        if let Some(winner) = self.winner() {
            self.play(winner, &is_less);
        }
    }

    /// Plays from a leaf upwards, until all is won or an opponent has yet to come.
    fn play(&mut self, player: usize, is_less: &impl Fn(usize, usize) -> bool) {
        let mut player = player;
        let mut node = usize::midpoint(self.nodes.len(), player);
        if let [only] = self.nodes.as_mut_slice() {
            *only = player;
            return;
        }
        while node > 0 {
            let Some(loser) = self.nodes.get_mut(node) else {
                return;
            };
            if *loser == NOBODY {
                *loser = player;
                return;
            }
            if is_less(*loser, player) {
                std::mem::swap(loser, &mut player);
            }
            node /= 2;
        }
        if let Some(winner) = self.nodes.first_mut() {
            *winner = player;
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
            losers.play_all(sequences.len(), |a, b| head(&sequences, a) < head(&sequences, b));
            let mut merged = Vec::new();
            while let Some(next) = losers.winner().and_then(|winner| sequences[winner].pop()) {
                merged.push(next);
                losers.replay(|a, b| head(&sequences, a) < head(&sequences, b));
            }
            prop_assert_eq!(merged, expected);
        }
    }
}
