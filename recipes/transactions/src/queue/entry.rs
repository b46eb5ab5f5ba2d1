//! The rows of entries, which end with a sequence, and the rows of dead letters.
//!
//! ```text
//! entry:        bucket row | key | sequence, 8 bytes, big-endian
//! dead letter:  id | "!dead" | the row of the entry without the id
//! ```

use fluo_table::{Bytes, Error, Escaped, Result, Timestamp};

pub(crate) const SEQUENCE_BYTES: usize = 8;

/// An entry of a queue: an update of a value, or an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) row: Bytes,
    pub(crate) key: Bytes,
    pub(crate) sequence: Timestamp,
    pub(crate) value: Bytes,
}

impl Entry {
    /// Parses an entry whose row begins with a prefix, a bucket and `:`. The number of buckets may
    /// be any.
    pub(crate) fn parse(row: Bytes, prefix: &[u8], value: Bytes) -> Result<Self> {
        let parse = || {
            let rest = row.strip_prefix(prefix)?;
            let end_of_bucket = rest.iter().position(|byte| *byte == b':')?;
            let (_, rest) = rest.split_at_checked(end_of_bucket + 1)?;
            let (key, sequence) = rest.split_last_chunk()?;
            let sequence = Timestamp::new(u64::from_be_bytes(*sequence)).ok()?;
            Some((row.slice_ref(key), sequence))
        };
        let (key, sequence) = parse().ok_or_else(|| {
            Error::corrupt(format!(
                "the row `{}` of a queue does not end with a sequence of {SEQUENCE_BYTES} bytes; delete the row",
                Escaped(&row)
            ))
        })?;
        Ok(Self { row, key, sequence, value })
    }

    pub(crate) fn bucket(&self, prefix: &[u8]) -> String {
        let row = self.bucket_row();
        let bucket = row.get(prefix.len()..row.len() - ":".len()).unwrap_or_default();
        String::from_utf8_lossy(bucket).into_owned()
    }

    /// Returns the row of its bucket: the prefix of the entries there.
    pub(crate) fn bucket_row(&self) -> Bytes {
        self.row.slice(..self.row.len() - SEQUENCE_BYTES - self.key.len())
    }
}

pub(crate) fn entry_row(bucket_row: &[u8], key: &[u8], sequence: Timestamp) -> Bytes {
    Bytes::from([bucket_row, key, &sequence.get().to_be_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use fluo_table::{ErrorKind, Timestamp};

    use fluo_table::Bytes;

    use super::{Entry, entry_row};

    #[test]
    fn parses_the_rows_that_it_writes() {
        let sequence = Timestamp::new(258).unwrap();
        for key in [&b""[..], b"cat", b"a:b", &[0; 9], &[255; 3]] {
            for bucket_row in ["wc:u:1:", "wc:u:01:"] {
                let row = entry_row(bucket_row.as_bytes(), key, sequence);
                let entry = Entry::parse(row.clone(), b"wc:u:", Bytes::new()).unwrap();
                assert_eq!((&*entry.key, entry.sequence, entry.row), (key, sequence, row));
            }
        }
        let row = entry_row(b"wc:u:1:", b"cat", sequence);
        assert_eq!(row, &b"wc:u:1:cat\0\0\0\0\0\0\x01\x02"[..]);
    }

    #[test]
    fn rejects_rows_without_a_sequence() {
        for row in [
            &b"wc:u:1:"[..],
            b"wc:u:1:1234567",
            b"wc:d:1:cat12345678",
            b"wc:u:12345678",
            &[b"wc:u:1:", &[255; 8][..]].concat(),
        ] {
            let found = Bytes::copy_from_slice(row);
            let error = Entry::parse(found, b"wc:u:", Bytes::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{row:?}");
        }
    }
}
