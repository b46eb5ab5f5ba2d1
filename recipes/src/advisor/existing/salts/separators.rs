//! Separators, read from the keys: a design takes any text.

/// The most bytes of a separator that is looked for.
const MOST_BYTES: usize = 8;
/// The most bytes of one with letters or digits, which look like the beginning of rows.
const MOST_WITH_LETTERS: usize = 4;
/// A separator is tried if one in so many of these has it.
const TRIED_ONE_IN: usize = 10;

/// Returns the texts that may part salts from rows, if these follow the salts: the longest without letters and digits first,
/// and no separator before those with letters or digits, which must be in nearly all.
pub(in super::super) fn separators(rests: &[&[u8]]) -> Vec<String> {
    frequent_starts(rests)
        .into_iter()
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect()
}

/// Returns what many of these begin with, in the order of [`separators`].
pub(super) fn frequent_starts(rests: &[&[u8]]) -> Vec<Vec<u8>> {
    let least = rests.len().div_ceil(TRIED_ONE_IN).max(1);
    let nearly_all = (rests.len() - rests.len() / TRIED_ONE_IN).max(1);
    let mut found = vec![Vec::new()];
    let mut open = vec![(Vec::new(), rests.to_vec())];
    while let Some((start, with)) = open.pop() {
        for byte in next_bytes(&with, start.len(), least) {
            let longer = [start.as_slice(), &[byte]].concat();
            let has_letters = longer.iter().any(u8::is_ascii_alphanumeric);
            // More digits behind a salt are those of a number.
            if longer.first().is_some_and(u8::is_ascii_hexdigit) {
                continue;
            }
            let (least, most) = if has_letters {
                (nearly_all, MOST_WITH_LETTERS)
            } else {
                (least, MOST_BYTES)
            };
            let with: Vec<_> = with
                .iter()
                .copied()
                .filter(|rest| rest.get(start.len()) == Some(&byte))
                .collect();
            if with.len() < least || longer.len() > most {
                continue;
            }
            found.push(longer.clone());
            open.push((longer, with));
        }
    }
    found.sort_by_key(|separator| {
        let has_letters = separator.iter().any(u8::is_ascii_alphanumeric);
        (has_letters, std::cmp::Reverse(separator.len()))
    });
    found
}

/// Returns the bytes that are at a place of at least so many of these.
fn next_bytes(rests: &[&[u8]], place: usize, least: usize) -> Vec<u8> {
    let mut counts = [0_usize; 256];
    for byte in rests.iter().filter_map(|rest| rest.get(place)) {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let bytes = (0..=u8::MAX).zip(counts);
    bytes
        .filter(|(_, count)| *count >= least)
        .map(|(byte, _)| byte)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_read_from_what_follows_the_salts() {
        let rests: Vec<&[u8]> = vec![b"--user1", b"--admin", b"--0"];
        assert_eq!(separators(&rests), ["--", "-", ""]);
        let rests: Vec<&[u8]> = vec![b"sep1", b"sep2", b"sep3"];
        assert_eq!(separators(&rests), ["", "sep", "se", "s"]);
        let arrow = "\u{2192}x".as_bytes();
        assert_eq!(separators(&[arrow, "\u{2192}y".as_bytes()])[0], "\u{2192}");
        assert_eq!(separators(&[]), [""]);
    }
}
