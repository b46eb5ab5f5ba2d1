//! Damage to messages, which is derived from a number, so that a failure can be reproduced.

/// A pseudo-random number generator: xorshift.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(round: u64) -> Self {
        let mut dice = Self(0x9E37_79B9_7F4A_7C15 ^ (round + 1));
        dice.roll(1);
        dice
    }

    /// Returns a number below this one.
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let below = u64::try_from(below.max(1)).unwrap();
        usize::try_from(self.0 % below).unwrap()
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.roll(256)).unwrap()
    }

    /// Returns an index into `bytes`.
    fn place(&mut self, bytes: &[u8]) -> usize {
        self.roll(bytes.len())
    }
}

/// Damages a message. A part of `other` may be inserted.
pub(crate) fn damage(message: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    if message.is_empty() {
        return;
    }
    let at = dice.place(message);
    match dice.roll(8) {
        0 => message.truncate(at),
        1 => message[at] = dice.byte(),
        2 => message[at] ^= 1 << dice.roll(8),
        3 => message.insert(at, dice.byte()),
        4 => drop(message.remove(at)),
        // The largest number, in either protocol.
        5 => drop(message.splice(at..at, [0xFF, 0xFF, 0xFF, 0xFF, 0x07])),
        6 => {
            let end = (at + 4).min(message.len());
            message[at..end].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF][..end - at]);
        }
        _ => {
            let from = dice.place(other);
            let most = (other.len() - from).min(40);
            let length = dice.roll(most);
            message.splice(at..at, other[from..from + length].iter().copied());
        }
    }
}

/// Returns the factor for the number of rounds. An invalid factor must not make a soak test short.
pub(crate) fn soak() -> u64 {
    match std::env::var("FLUO_SOAK") {
        Err(_) => 1,
        Ok(times) => times
            .parse()
            .unwrap_or_else(|_| panic!("FLUO_SOAK is `{times}`, which is not a number")),
    }
}
