//! The number of a process that runs transactions.

use std::fmt;

/// The number of a process that runs transactions. Its locks carry the number, so that others can
/// check whether the process is alive.
///
/// It is displayed in base 36, as Fluo does in logs and paths.
///
/// # Examples
///
/// ```
/// use fluo_table::coordination::TransactorId;
///
/// assert_eq!(TransactorId(35).to_string(), "z");
/// assert_eq!(TransactorId(36).to_string(), "10");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactorId(pub u64);

const BASE: u32 = 36;

impl TransactorId {
    /// Parses the text of a number. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        u64::from_str_radix(text, BASE).ok().map(Self)
    }
}

impl fmt::Display for TransactorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut digits, mut rest) = (Vec::new(), self.0);
        while rest > 0 || digits.is_empty() {
            let value = u32::try_from(rest % u64::from(BASE));
            digits.extend(value.ok().and_then(|value| char::from_digit(value, BASE)));
            rest /= u64::from(BASE);
        }
        f.pad(&digits.into_iter().rev().collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_digits_are_those_of_java() {
        let cases = [
            (0, "0"),
            (9, "9"),
            (10, "a"),
            (35, "z"),
            (36, "10"),
            (1_000_000, "lfls"),
            (u64::MAX, "3w5e11264sgsf"),
        ];
        for (number, text) in cases {
            assert_eq!(TransactorId(number).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn the_text_is_the_number(number in any::<u64>()) {
            let text = TransactorId(number).to_string();
            prop_assert_eq!(TransactorId::parse(&text), Some(TransactorId(number)));
        }
    }
}
