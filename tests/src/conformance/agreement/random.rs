//! Reproducible randomness: SplitMix64.

pub(in crate::conformance) struct Random(u64);

impl Random {
    pub(in crate::conformance) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`.
    pub(in crate::conformance) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap();
        usize::try_from(self.number_below(bound)).unwrap()
    }

    /// Returns a 64-bit number below `bound`.
    pub(in crate::conformance) fn number_below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(in crate::conformance) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(in crate::conformance) fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }

    /// Returns `least` to `most` values from `draw`.
    pub(in crate::conformance) fn several<T>(
        &mut self,
        least: usize,
        most: usize,
        mut draw: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        let count = least + self.below(most - least + 1);
        (0..count).map(|_| draw(self)).collect()
    }

    pub(in crate::conformance) fn maybe<T>(
        &mut self,
        draw: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        (!self.one_in(4)).then(|| draw(self))
    }
}
