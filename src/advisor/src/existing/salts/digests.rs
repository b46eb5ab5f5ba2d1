//! Salts that are digits of a digest.

use std::ops::RangeInclusive;

use fluo_keys::{
    DesignSettings, Digest, DigestSalt, DigestSide, DomainDirection, SaltedPart, WebPart, WebTable,
};

use super::parts::parts_of;
use super::separators::separators;
use super::times::times_of;
use super::{Tried, behind, with_salt};

/// The maximum number of digits of a salt.
pub(super) const MOST_DIGITS: usize = 8;

/// Returns the designs whose salts are this many hexadecimal digits. Wide salts come first, because
/// the beginning of a wide salt without a separator looks like a narrow one.
pub(super) fn tried(keys: &[&[u8]], widths: RangeInclusive<usize>) -> Vec<Tried> {
    let mut all = Vec::new();
    for width in widths.rev() {
        let Some(digits) = u8::try_from(width).ok().filter(|_| width <= MOST_DIGITS) else {
            continue;
        };
        let chance = 0.0625_f64.powi(digits.into());
        let heads = behind(keys, width, "", is_hexadecimal);
        if heads.is_empty() {
            continue;
        }
        for separator in separators(&heads) {
            let rests = behind(keys, width, &separator, is_hexadecimal);
            if rests.is_empty() {
                continue;
            }
            // Of designs that agree with the same keys, the first is recognised.
            let (web, plain) = (
                web_tables(digits, &separator),
                salted(digits, &separator, &rests),
            );
            let designs: Vec<_> = match are_web_pages(&rests) {
                true => web.chain(plain).collect(),
                false => plain.chain(web).collect(),
            };
            all.extend(designs.into_iter().map(|settings| Tried {
                settings,
                chance,
                is_weak: false,
            }));
        }
    }
    all
}

/// Checks whether most rows begin with a host: several labels with letters, the last or, if it is
/// reversed, the first of which is a word. `docs.example.com/a` and `com.example.docs/a` do;
/// `tenant.7/a` does not.
fn are_web_pages(rows: &[&[u8]]) -> bool {
    let has_letter = |label: &[u8]| label.iter().any(u8::is_ascii_alphabetic);
    let is_word = |label: &[u8]| label.len() > 1 && label.iter().all(u8::is_ascii_alphabetic);
    let is_page = |row: &&&[u8]| {
        let host = row.split(|byte| b"/:?#".contains(byte)).next();
        let mut labels = host.unwrap_or_default().split(|byte| *byte == b'.');
        match (labels.next(), labels.next_back()) {
            (Some(first), Some(last)) => {
                has_letter(first) && has_letter(last) && (is_word(first) || is_word(last))
            }
            _ => false,
        }
    };
    rows.iter().filter(is_page).count() * 2 > rows.len()
}

fn is_hexadecimal(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Returns the designs of plain rows and of rows with a time, for salts of this many digits before
/// these rests.
fn salted(digits: u8, separator: &str, rests: &[&[u8]]) -> impl Iterator<Item = DesignSettings> {
    let salts: Vec<_> = [Digest::Md5, Digest::Sha1]
        .into_iter()
        .flat_map(|digest| [DigestSide::First, DigestSide::Last].map(|end| (digest, end)))
        .map(|(digest, end)| DigestSalt {
            digest,
            end,
            digits,
            separator: separator.to_owned(),
            over: SaltedPart::Whole,
        })
        .collect();
    let over = |over: &SaltedPart| {
        let over = over.clone();
        let salts = salts.clone().into_iter();
        salts.map(move |salt| DigestSalt {
            over: over.clone(),
            ..salt
        })
    };
    let mut all: Vec<DesignSettings> = Vec::new();
    for times in times_of(rests) {
        let timed = [SaltedPart::Entity, SaltedPart::Whole];
        let timed = timed.iter().flat_map(over);
        all.extend(timed.map(|salt| with_salt(&times, salt)));
    }
    let plain = parts_of(rests);
    all.extend(plain.iter().flat_map(over).map(DesignSettings::from));
    all.into_iter()
}

fn web_tables(digits: u8, separator: &str) -> impl Iterator<Item = DesignSettings> {
    let parts: &[WebPart] = match separator {
        ":" => &[WebPart::RegistrableDomain, WebPart::Host],
        _ => &[],
    };
    parts
        .iter()
        .flat_map(|over| {
            [DomainDirection::Forward, DomainDirection::Reversed].map(|text| (*over, text))
        })
        .map(move |(over, text)| {
            WebTable {
                digits,
                over,
                text,
                ..WebTable::default()
            }
            .into()
        })
}
