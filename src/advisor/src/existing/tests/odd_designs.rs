//! Designs with settings that no guide prints.

use fluo_keys::{Digest, DigestSide, SaltSettings};

use super::*;

/// Returns different rows of one of several kinds.
fn rows(kind: usize, rows: u32) -> Vec<String> {
    let scattered = |row: u32| row.wrapping_mul(2_654_435_761);
    let row = |row: u32| match kind {
        0 => format!("user{row}"),
        1 => format!("/usr/share/doc/{}/{row}", row % 97),
        2 => format!("{:08x}-{row:04}", scattered(row)),
        3 => format!("acme{}::order-{row}", row % 180),
        4 => format!("{}", 1_000_000 + row * 7),
        _ => format!("--{row}"),
    };
    (0..rows).map(row).collect()
}

/// Checks that the keys of a design are recognised as keys of a design that writes the same keys.
#[track_caller]
fn is_found(settings: impl Into<DesignSettings>, kind: usize) {
    let settings = settings.into();
    let design = KeyDesign::new(settings.clone()).unwrap();
    let rows = rows(kind, 600);
    let keys: Vec<_> = rows
        .iter()
        .map(|row| design.encode_row(row.as_bytes()).unwrap().to_vec())
        .collect();
    let found = recognised(keys.clone().into_iter());
    let context = format!("{settings:?} of rows like {}: {found:?}", rows[1]);
    let found = KeyDesign::new(found.expect(&context)).unwrap();
    for (row, key) in rows.iter().zip(&keys) {
        assert_eq!(found.decode_key(key).unwrap(), row.as_bytes(), "{context}");
    }
}

const SEPARATORS: [&str; 10] = [
    "--", "::", " | ", "->", "~", "\t", "\0", "x", "_v1_", "\u{2192}",
];

/// Only eight separators of one character were tried. The advice for a table with `--` was a second
/// salt or, for a modulus, a design without a separator, which writes other keys.
#[test]
fn recognises_any_separator() {
    for (place, separator) in SEPARATORS.into_iter().enumerate() {
        let digits = [2, 4, 1, 8, 3][place % 5];
        let salt = DigestSalt {
            digits,
            separator: separator.to_owned(),
            digest: [Digest::Md5, Digest::Sha1][place % 2],
            end: [DigestSide::First, DigestSide::Last][place / 2 % 2],
            ..DigestSalt::default()
        };
        is_found(salt, place % 5);
        let modulo = Modulo {
            buckets: [10, 16, 7, 64, 100, 101, 1_000, 2_048, 30, 50_000][place],
            separator: separator.to_owned(),
            ..Modulo::default()
        };
        is_found(modulo, place % 4);
    }
}

/// Settings of widths, parts and forms that no guide prints.
#[test]
fn recognises_parts_and_forms_of_any_width() {
    let salt = |digits, separator: &str, over| DigestSalt {
        digits,
        separator: separator.to_owned(),
        over,
        ..DigestSalt::default()
    };
    is_found(salt(2, "--", SaltedPart::Before("::".to_owned())), 3);
    is_found(salt(3, "", SaltedPart::First(12)), 2);
    is_found(salt(4, "~~", SaltedPart::First(7)), 3);
    is_found(salt(6, "", SaltedPart::Whole), 5);
    let number = |buckets, separator: &str| Modulo {
        of: HashInput::Number,
        buckets,
        separator: separator.to_owned(),
        ..Modulo::default()
    };
    is_found(number(17, "::"), 4);
    is_found(number(1_000_000, "--"), 4);
    let timed = |separator: &str, salt: Option<SaltSettings>| ReverseTime {
        separator: separator.to_owned(),
        salt,
        ..ReverseTime::default()
    };
    let row = |n: u64| format!("sensor{}--{}", n % 90, 1_696_744_051_903 + n);
    for salted in [
        timed("--", None),
        timed("--", Some(salt(2, "::", SaltedPart::Entity).into())),
        timed("--", Some(number_of_entity(12).into())),
    ] {
        let settings = DesignSettings::from(salted);
        let design = KeyDesign::new(settings.clone()).unwrap();
        let keys = (0..1_000).map(|n| design.encode_row(row(n).as_bytes()).unwrap().to_vec());
        assert_eq!(recognised(keys), Some(settings));
    }
}

fn number_of_entity(buckets: u32) -> Modulo {
    Modulo {
        buckets,
        over: SaltedPart::Entity,
        separator: "--".to_owned(),
        ..Modulo::default()
    }
}

/// In a table with two designs, or with odd keys, each design is found, and the odd keys are
/// counted.
#[test]
fn recognises_designs_among_odd_keys() {
    let salt = DesignSettings::from(DigestSalt {
        separator: "--".to_owned(),
        ..DigestSalt::default()
    });
    let modulo = DesignSettings::from(Modulo {
        buckets: 24,
        separator: "::".to_owned(),
        ..Modulo::default()
    });
    for settings in [&salt, &modulo] {
        for odd in [0, 10, 50, 450] {
            let keys = of(settings.clone(), 1_000 - odd);
            let odds = (0..odd).map(|n| format!("/usr/{n}").into_bytes());
            let found = existing(keys.into_iter().chain(odds), None);
            assert_eq!(found.recipes.len(), 1, "{settings:?} {odd}: {found:?}");
            assert_eq!(&found.recipes[0].settings, settings);
            let others = found.others.map_or(0, |others| others.keys);
            assert_eq!(others, u64::from(odd), "{settings:?}");
        }
    }
    let both = [of(salt.clone(), 700), of(modulo.clone(), 300)].concat();
    let found = existing(both.into_iter(), None);
    let mut designs: Vec<_> = found
        .recipes
        .iter()
        .map(|recipe| &recipe.settings)
        .collect();
    designs.extend(found.recipes.iter().flat_map(|recipe| &recipe.before));
    designs.extend(found.apart.iter().map(|(settings, _)| settings));
    assert!(
        designs.contains(&&salt) && designs.contains(&&modulo),
        "{designs:?}"
    );
}

/// Tests a regression: a salt over a tenant with the separator of web tables was recognised as a
/// web table, whose design changes the case of rows and refuses some.
#[test]
fn tenants_are_not_domains() {
    let salt = DigestSalt {
        over: SaltedPart::Before("/".to_owned()),
        separator: ":".to_owned(),
        ..DigestSalt::default()
    };
    let design = KeyDesign::new(salt.clone()).unwrap();
    for tenant in ["user", "tenant."] {
        let rows = (0..3_000)
            .flat_map(|n| ["profile", "orders"].map(|what| format!("{tenant}{n}/{what}")));
        let keys = rows.map(|row| design.encode_row(row.as_bytes()).unwrap().to_vec());
        assert_eq!(recognised(keys), Some(salt.clone().into()), "{tenant}");
    }
}
