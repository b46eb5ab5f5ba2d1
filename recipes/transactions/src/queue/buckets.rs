//! The buckets of a queue: the hash of a key, and the text of a bucket in a row.

use std::num::NonZeroU32;

use fluo_table::{Error, Grouped, Result, counted, murmur3_32};

/// The smallest number that is too large: Java counts buckets in an `int`.
const TOO_MANY: u32 = 1 << 31;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Buckets(NonZeroU32);

impl Buckets {
    /// The number of buckets, if no other is set.
    pub(crate) const DEFAULT: Self = Self(NonZeroU32::new(119).unwrap());

    pub(crate) fn new(count: u32) -> Result<Self> {
        NonZeroU32::new(count).filter(|count| count.get() < TOO_MANY).map(Self).ok_or_else(|| {
            Error::invalid(format!(
                "a queue cannot have {}; use a number from 1 to {}, for example 119",
                counted(count, "bucket"),
                Grouped::new(TOO_MANY - 1)
            ))
        })
    }

    pub(crate) fn count(self) -> u32 {
        self.0.get()
    }

    /// Returns the bucket of a key: the absolute value of the remainder of its signed hash.
    pub(crate) fn of(self, key: &[u8]) -> u32 {
        murmur3_32(key).cast_signed().unsigned_abs() % self.0
    }

    /// Returns the number of digits of a bucket. The number of buckets itself, and not the last
    /// bucket, must have room, so 16 buckets have two digits.
    pub(crate) fn digits(self) -> usize {
        let bits = u32::BITS - self.0.leading_zeros();
        usize::try_from(bits.div_ceil(4)).expect("at most 8 digits")
    }

    /// Returns the text of a bucket: lowercase hexadecimal digits.
    pub(crate) fn text(self, bucket: u32) -> String {
        format!("{bucket:0digits$x}", digits = self.digits())
    }

    pub(crate) fn has(self, text: &[u8]) -> bool {
        let bucket = std::str::from_utf8(text).ok().map(|text| u32::from_str_radix(text, 16));
        matches!(bucket, Some(Ok(bucket)) if bucket < self.count() && self.text(bucket).as_bytes() == text)
    }

    /// Returns the first bucket of each tablet but the first, if a tablet has this many buckets.
    pub(crate) fn split_texts(self, per_tablet: NonZeroU32) -> impl Iterator<Item = String> {
        let step = usize::try_from(per_tablet.get()).expect("a usize has at least 32 bits");
        (per_tablet.get()..self.count()).step_by(step).map(move |bucket| self.text(bucket))
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use fluo_table::counted;

    use super::Buckets;

    fn buckets(count: u32) -> Buckets {
        Buckets::new(count).unwrap()
    }

    #[test]
    fn gives_keys_the_buckets_of_fluo_recipes() {
        let counts = [3, 7, 16, 17, 100, 119, 1009];
        for (key, texts) in [
            ("", ["0", "0", "00", "00", "00", "00", "000"]),
            ("a", ["2", "4", "02", "06", "32", "4a", "05e"]),
            ("ab", ["2", "3", "01", "08", "05", "3b", "3e6"]),
            ("abc", ["2", "1", "06", "03", "5e", "47", "39c"]),
            ("hello", ["1", "6", "07", "03", "33", "14", "0c3"]),
            ("cat", ["1", "2", "07", "03", "3b", "25", "22f"]),
            ("dog", ["0", "5", "05", "0f", "5d", "75", "2e6"]),
            ("fish", ["2", "4", "0f", "0f", "0f", "20", "0d8"]),
            ("test1", ["0", "0", "0e", "02", "3e", "46", "36d"]),
            ("café", ["0", "6", "08", "02", "20", "68", "38a"]),
            ("日本", ["2", "6", "0e", "04", "26", "37", "176"]),
        ] {
            for (count, text) in counts.into_iter().zip(texts) {
                let buckets = buckets(count);
                assert_eq!(buckets.text(buckets.of(key.as_bytes())), text, "{key} {count}");
            }
        }
    }

    #[test]
    fn has_as_many_digits_as_the_number_of_buckets() {
        for (count, first, last) in [
            (1, "0", "0"),
            (15, "0", "e"),
            (16, "00", "0f"),
            (17, "00", "10"),
            (255, "00", "fe"),
            (256, "000", "0ff"),
            (4096, "0000", "0fff"),
            (65536, "00000", "0ffff"),
        ] {
            assert_eq!(buckets(count).text(0), first);
            assert_eq!(buckets(count).text(count - 1), last);
        }
    }

    #[test]
    fn splits_at_each_multiple_below_the_count() {
        let splits = |count, per_tablet| {
            let per_tablet = NonZeroU32::new(per_tablet).unwrap();
            buckets(count).split_texts(per_tablet).collect::<Vec<_>>()
        };
        assert_eq!(splits(6, 2), ["2", "4"]);
        assert_eq!(splits(3, 1), ["1", "2"]);
        assert_eq!(splits(7, 10), [""; 0]);
        let of_119 = "0a 14 1e 28 32 3c 46 50 5a 64 6e";
        assert_eq!(splits(119, 10), of_119.split(' ').collect::<Vec<_>>());
        let of_1009 = "064 0c8 12c 190 1f4 258 2bc 320 384 3e8";
        assert_eq!(splits(1009, 100), of_1009.split(' ').collect::<Vec<_>>());
    }

    #[test]
    fn rejects_numbers_that_are_no_positive_int() {
        for count in [0, 1 << 31, u32::MAX] {
            let message = Buckets::new(count).unwrap_err().to_string();
            assert!(message.contains(&format!("cannot have {}", counted(count, "bucket"))));
        }
        assert_eq!(buckets((1 << 31) - 1).digits(), 8);
    }
}
