//! Separators, read from the keys, because a design accepts any text.

/// The maximum length of a separator.
const MOST_BYTES: usize = 8;
/// The maximum length of a separator with letters or digits, which looks like the beginning of
/// rows.
const MOST_WITH_LETTERS: usize = 4;
/// The inverse of the share of rests that must begin with a separator, so that it is tried.
const TRIED_ONE_IN: usize = 10;

/// Returns the texts that may separate salts from rows, if these rests follow the salts. The
/// longest without letters and digits come first, then no separator, then those with letters or
/// digits, which nearly all rests must have.
pub(in super::super) fn separators(rests: &[&[u8]]) -> Vec<String> {
    frequent_starts(rests)
        .into_iter()
        .filter_map(|bytes| String::from_utf8(bytes).ok())
        .collect()
}

/// Returns the frequent beginnings of these rests, in the order of [`separators`].
pub(super) fn frequent_starts(rests: &[&[u8]]) -> Vec<Vec<u8>> {
    let least = rests.len().div_ceil(TRIED_ONE_IN).max(1);
    let nearly_all = (rests.len() - rests.len() / TRIED_ONE_IN).max(1);
    let mut found = vec![Vec::new()];
    let mut open = vec![(Vec::new(), rests.to_vec())];
    while let Some((start, with)) = open.pop() {
        for byte in next_bytes(&with, start.len(), least) {
            let longer = [start.as_slice(), &[byte]].concat();
            let has_letters = longer.iter().any(u8::is_ascii_alphanumeric);
            // A digit after a salt belongs to a number.
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

/// Returns the bytes that at least `least` of these rests have at a place.
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
    fn reads_separators_after_the_salts() {
        let rests: Vec<&[u8]> = vec![b"--user1", b"--admin", b"--0"];
        assert_eq!(separators(&rests), ["--", "-", ""]);
        let rests: Vec<&[u8]> = vec![b"sep1", b"sep2", b"sep3"];
        assert_eq!(separators(&rests), ["", "sep", "se", "s"]);
        let arrow = "\u{2192}x".as_bytes();
        assert_eq!(separators(&[arrow, "\u{2192}y".as_bytes()])[0], "\u{2192}");
        assert_eq!(separators(&[]), [""]);
    }
}
