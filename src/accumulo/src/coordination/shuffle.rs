//! The pseudo-random order in which all workers assign the ranges of a table to groups.

/// The seed that all workers use.
const SEED: u64 = 42;

/// The generator of `java.util.Random`.
///
/// ```text
/// state     48 bits; at first the seed xor MULTIPLIER
/// each step state * MULTIPLIER + 11, modulo 2^48
/// result    the upper 31 bits of the state
/// ```
struct JavaRandom {
    state: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl JavaRandom {
    fn with_seed(seed: u64) -> Self {
        Self { state: (seed ^ MULTIPLIER) & MASK }
    }

    /// Returns the next number below 2^31.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(11) & MASK;
        self.state >> 17
    }

    /// Returns the next number below `bound`, which is 1 to 2^31 - 1.
    fn below(&mut self, bound: u64) -> u64 {
        if bound.is_power_of_two() {
            return (bound * self.next()) >> 31;
        }
        loop {
            // Numbers above the last multiple of the bound are rejected, so that all remainders are
            // equally likely.
            let bits = self.next();
            let number = bits % bound;
            if bits - number + (bound - 1) < 1 << 31 {
                return number;
            }
        }
    }
}

/// Returns the numbers below `count` in the order of `java.util.Collections.shuffle`.
pub(super) fn shuffled(count: usize) -> Vec<usize> {
    let mut random = JavaRandom::with_seed(SEED);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let bound = u64::try_from(last + 1).unwrap_or(u64::MAX);
        let other = usize::try_from(random.below(bound)).unwrap_or_default();
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_numbers_of_java() {
        let mut random = JavaRandom::with_seed(42);
        let drawn = [(); 6].map(|()| random.next());
        let expected =
            [1_562_431_130, 117_392_763, 1_467_211_248, 102_948_884, 662_969_970, 2_023_087_525];
        assert_eq!(drawn, expected);
    }

    #[test]
    fn has_the_order_of_java() {
        for order in [
            &[][..],
            &[0],
            &[0, 1],
            &[1, 0, 2],
            &[1, 2, 3, 4, 0],
            &[4, 6, 2, 1, 7, 9, 8, 5, 3, 0],
            &[15, 16, 14, 13, 5, 11, 17, 18, 8, 2, 6, 7, 3, 1, 19, 4, 12, 0, 9, 10],
            &[
                19, 20, 22, 1, 3, 16, 15, 11, 18, 12, 24, 8, 6, 23, 2, 21, 17, 7, 9, 5, 4, 14, 10,
                25, 13, 0,
            ],
        ] {
            assert_eq!(shuffled(order.len()), order);
        }
    }
}
