//! The command `fluo advise --at`: the advice for a table with designs is its present spec.

use std::collections::BTreeSet;

use crate::command::{Place, ROWS, assert_says};

/// A spec, the arguments of its loads, and the kinds of their rows.
struct Set {
    spec: &'static str,
    loads: &'static [(&'static str, Rows)],
}

#[derive(Clone, Copy)]
enum Rows {
    Paths,
    Ids,
    Readings,
    Pages,
    Random,
}

impl Rows {
    fn text(self) -> String {
        let lines = |line: &dyn Fn(u64) -> String| (0..1_500).map(|n| line(n) + "\n").collect();
        let random = |id: u64| id.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (id << 17);
        match self {
            Self::Paths => ROWS
                .lines()
                .take(1_500)
                .map(|row| format!("{row}\n"))
                .collect(),
            Self::Ids => lines(&|n| format!("{n:010}")),
            Self::Readings => {
                lines(&|n| format!("sensor{}|{}", n % 90, 1_696_744_051_903 + n * 1_000))
            }
            Self::Pages => lines(&|n| format!("https://h{}.example/{n}", n / 3)),
            Self::Random => lines(&|n| format!("{:016x}", random(n))),
        }
    }
}

const SETS: [Set; 11] = [
    Set {
        spec: "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n",
        loads: &[("--prefix p", Rows::Paths)],
    },
    Set {
        spec: "[[row_hasher]]\nprefix = \"b\"\ntablets = 7\n\
               [[row_hasher]]\nprefix = \"a\"\ntablets = 20\nscheme = \"sha1-base32\"\n",
        loads: &[
            (
                "--design row-hasher,prefix=a,scheme=sha1-base32",
                Rows::Paths,
            ),
            ("--prefix b", Rows::Ids),
        ],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"digest-salt\"\nseparator = \":\"\ntablets = 20\n",
        loads: &[("--design digest-salt,separator=:", Rows::Paths)],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"modulo\"\nbuckets = 12\ntablets = 6\n",
        loads: &[("--design modulo,buckets=12", Rows::Paths)],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"web-table\"\ntablets = 12\n",
        loads: &[("--design web-table", Rows::Pages)],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"web-table\"\ntablets = 16\nleading_point = true\n",
        loads: &[("--design web-table", Rows::Pages)],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"reverse-time\"\nsplit_points = [\"sensor2\", \"sensor5\"]\n",
        loads: &[("--design reverse-time", Rows::Readings)],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"reverse-time\"\ntablets = 8\n\
               salt = { design = \"digest-salt\", separator = \":\", over = \"entity\" }\n",
        loads: &[(
            "--design reverse-time,salt.design=digest-salt,salt.separator=:,salt.over=entity",
            Rows::Readings,
        )],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"reversed\"\nalphabet = \"digits\"\nlength = { fixed = 10 }\ntablets = 8\n",
        loads: &[(
            "--design reversed,alphabet=digits,length.fixed=10",
            Rows::Ids,
        )],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"random-salt\"\nbuckets = 16\ntablets = 8\n",
        loads: &[("--design random-salt,buckets=16", Rows::Paths)],
    },
    Set {
        spec: "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"40\", \"80\", \"c0\"]\n",
        loads: &[("--design unsalted", Rows::Random)],
    },
];

/// The advice for a table with two row hashers was a third one over both. The advice for a table
/// with 20 tablets on 5 servers was to leave its keys unsalted in 4: the spec would have removed
/// the split points and groups of the hasher. The advice is now the spec that the table was set up
/// with.
#[test]
fn advises_the_present_spec_of_a_table() {
    for servers in [1, 2, 5] {
        for set in &SETS {
            let place = Place::new();
            place.file("set.toml", set.spec);
            place
                .fluo(&format!(
                    "table create --at embedded:d --servers {servers} pages"
                ))
                .succeeds();
            place
                .fluo("table apply --at embedded:d --spec set.toml --no-wait pages")
                .succeeds();
            for (design, rows) in set.loads {
                place.file("rows", rows.text());
                place
                    .fluo(&format!("table load --at embedded:d pages {design} rows"))
                    .succeeds();
            }
            let advised = place
                .fluo("advise --at embedded:d --write-spec advised.toml pages")
                .succeeds();
            let shown = place.shown();
            let tablets = shown["tablets"].as_array().unwrap().len();
            let is_plain = set.spec.contains("unsalted");
            let headline = match tablets < servers && !is_plain {
                true => format!("{tablets} tablets cannot use {servers} servers"),
                false => "Leave the table as it is: ".to_owned(),
            };
            assert_says(advised.text(), &headline);
            let plan = place
                .fluo("table plan --at embedded:d --spec advised.toml pages")
                .succeeds();
            let context = format!("{}{}{}", set.spec, place.read("advised.toml"), plan.text());
            assert_says(&context, "Nothing to do: the table is as the spec says.");
            assert!(!context.contains("does not ask for"), "{context}");
        }
    }
}

/// Counts rows that were loaded without the hasher, or with another prefix, which go unnoticed
/// until a search for them fails.
#[test]
fn counts_and_names_rows_without_the_design_of_their_table() {
    let place = Place::with_table();
    place
        .fluo("table apply --at embedded:d --spec s.toml --no-wait pages")
        .succeeds();
    place.file("plain", "x/1\nx/2\nx/3\n");
    place
        .fluo("table load --at embedded:d pages --design unsalted plain")
        .succeeds();
    let run = place.fluo("advise --at embedded:d pages").succeeds();
    assert_says(
        run.text(),
        "warning  3 keys (100 %) belong to none of these designs, the first is `x/1`: loaded without the design, or rows of \
         another kind.",
    );
    assert_says(
        run.text(),
        "Advice\n\n  The table is split for row-hasher with the prefix `p` in 20 tablets, but most rows belong to none of its \
         designs: 100 % of the keys that were read, such as `x/1`. If they were loaded without the design, load them again \
         through it.",
    );
    assert!(!run.text().contains("Leave"), "{}", run.text());
    assert_says(
        run.text(),
        "The table is split for it, but none of the keys that were read belongs to it.",
    );
    assert_says(run.text(), "prefix = \"p\"");

    place.file("rows", ROWS);
    place
        .fluo("table load --at embedded:d pages --prefix p rows")
        .succeeds();
    let json = place.fluo("advise --at embedded:d pages --json").json();
    assert_eq!(json["advice"]["existing"][0]["keys"], 4_208);
    assert_eq!(json["advice"]["others"]["keys"], 3);
    assert_eq!(json["advice"]["others"]["first"], "x/1");
}

/// The command read the same number of rows of each tablet. For 2,000 hashed rows, and 40,000 plain
/// rows in the last tablet, it reported that 5.0 % of the keys had no design, and advised to leave
/// the table as it is.
#[test]
fn samples_rows_in_proportion_to_the_entries_of_their_tablets() {
    let place = Place::with_table();
    let lines = |rows: std::ops::Range<u32>| rows.map(|n| format!("x/{n}\n")).collect::<String>();
    place.file("hashed", lines(0..2_000));
    place.file("forgotten", lines(2_000..42_000));
    for command in [
        "table apply --at embedded:d --spec s.toml --no-wait pages",
        "table load --at embedded:d pages --prefix p hashed",
        "table load --at embedded:d pages --design unsalted forgotten",
    ] {
        place.fluo(command).succeeds();
    }
    let command = "advise --at embedded:d --rows 2100 pages";
    let json = place.fluo(&format!("{command} --json")).json();
    let keys = json["profile"]["keys"].as_u64().unwrap();
    assert!((2_000..=2_100).contains(&keys), "{keys}");
    let share = json["advice"]["others"]["share"].as_f64().unwrap();
    assert!((0.85..0.97).contains(&share), "{share}");
    let run = place.fluo(command).succeeds();
    assert_says(run.text(), "Only the first rows of 21 tablets were read");
    assert_says(run.text(), "but most rows belong to none of its designs: ");
}

/// The advice for a plain table with split points of five digits took minutes: each of 10,000
/// numbers of buckets, and each separator of a random salt, was compared with all keys.
#[test]
fn keeps_a_plain_table_with_split_points_of_five_digits() {
    let place = Place::new();
    place.file(
        "s.toml",
        "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = [\"20000\", \"40000\", \"60000\", \"80000\"]\n",
    );
    let rows = (0..20_000_u32).map(|n| format!("{:08}/x\n", n * 5_000));
    place.file("rows", rows.collect::<String>());
    for command in [
        "table create --at embedded:d pages",
        "table apply --at embedded:d --spec s.toml --no-wait pages",
        "table load --at embedded:d pages --design unsalted rows",
    ] {
        place.fluo(command).succeeds();
    }
    let run = place.fluo("advise --at embedded:d pages").succeeds();
    assert_says(
        run.text(),
        "Leave the table as it is: its plain rows are spread evenly over 5 tablets.",
    );
}

/// Keeps both designs of a table during a migration: the newest is the one for which it is split.
#[test]
fn keeps_both_designs_during_a_migration() {
    let spec = "[[key_design]]\ndesign = \"digest-salt\"\nseparator = \":\"\ntablets = 16\n\
                [[key_design.before]]\ndesign = \"modulo\"\n";
    let place = Place::new();
    place.file("set.toml", spec);
    place.file("rows", ROWS);
    place.file("new", Rows::Ids.text());
    for command in [
        "table create --at embedded:d pages",
        "table apply --at embedded:d --spec set.toml --no-wait pages",
        "table load --at embedded:d pages --design modulo rows",
        "table load --at embedded:d pages --design digest-salt,separator=: new",
    ] {
        place.fluo(command).succeeds();
    }
    let run = place
        .fluo("advise --at embedded:d --write-spec advised.toml pages")
        .succeeds();
    assert_says(
        run.text(),
        "Advice\n\n  Finish the migration to digest-salt (first 2 hexadecimal digits of MD5, then `:`) in 16 tablets: \
         4,208 keys are still in an earlier design. Until it is finished, the spec has both designs.",
    );
    assert_says(
        run.text(),
        "4,208 keys of digest-salt are in an earlier design, modulo (Java's String.hashCode modulo 10",
    );
    assert!(!run.text().contains("Leave"), "{}", run.text());
    assert_says(&place.read("advised.toml"), "[[key_design.before]]");
    let plan = place
        .fluo("table plan --at embedded:d --spec advised.toml pages")
        .succeeds();
    assert_says(plan.text(), "Nothing to do: the table is as the spec says.");
}

/// Uses the requested servers and tablets instead of those of the table, and states that.
#[test]
fn requested_servers_and_tablets_precede_those_of_the_table() {
    let place = Place::with_table();
    place.file("rows", ROWS);
    for command in [
        "table apply --at embedded:d --spec s.toml --no-wait pages",
        "table load --at embedded:d pages --prefix p rows",
    ] {
        place.fluo(command).succeeds();
    }
    let tablets = |arguments: &str| {
        let command = format!("advise --at embedded:d --json {arguments} pages");
        let json = place.fluo(&command).json();
        let spec = json["advice"]["spec"]["key_design"][0].clone();
        assert_eq!(
            (&spec["design"], &spec["prefix"]),
            (&"row-hasher".into(), &"p".into())
        );
        spec["tablets"].clone()
    };
    let shown = place.shown();
    let hosts = shown["tablets"].as_array().unwrap().iter();
    let servers: BTreeSet<_> = hosts.map(|tablet| tablet["server"].as_str()).collect();
    assert_eq!(tablets(""), 20);
    assert_eq!(tablets(&format!("--servers {}", servers.len())), 20);
    assert_eq!(tablets("--tablets 8"), 8);
    assert_eq!(tablets("--servers 7"), 28);
    let run = place
        .fluo("advise --at embedded:d --servers 7 pages")
        .succeeds();
    assert_says(
        run.text(),
        "note     The advice is for 7 servers, as requested, and not for the ",
    );
}

/// The advice for a table whose design has a separator of two characters was a row hasher over its
/// salts, and for an unsplit one more tablets than it has.
#[test]
fn keeps_the_design_of_an_unsplit_table_with_any_separator() {
    for design in [
        "--design digest-salt,separator=--",
        "--design digest-salt,digits=1,separator=::",
        "--design modulo,separator=--",
        "--design modulo,buckets=5000,separator=->",
        "--design digest-salt,over.before=/",
    ] {
        let place = Place::new();
        place.file("rows", Rows::Paths.text());
        for command in [
            "table create --at embedded:d pages".to_owned(),
            format!("table load --at embedded:d pages {design} rows"),
        ] {
            place.fluo(&command).succeeds();
        }
        let run = place
            .fluo("advise --at embedded:d --write-spec advised.toml pages")
            .succeeds();
        assert_says(run.text(), "Advice\n\n  Keep the design of the keys, ");
        assert_says(
            run.text(),
            "in 1 tablet, though 1 tablet cannot use 2 servers: request more tablets.",
        );
        assert_says(run.text(), "1 tablet, as the table has");
        assert!(
            !run.text().contains("none of these designs"),
            "{}",
            run.text()
        );
        let plan = place
            .fluo("table plan --at embedded:d --spec advised.toml pages")
            .succeeds();
        assert_says(plan.text(), "Nothing to do: the table is as the spec says.");
    }
}

/// Salts of an unknown hash were salted again, or the advice was to load the rows again as plain
/// rows.
#[test]
fn keeps_keys_of_an_unknown_design() {
    let mixed = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let lines = (0..3_000).map(|n| {
        let salt = (mixed(n) ^ (mixed(n * 31 + 7) >> 13)) & 0xff;
        format!("{salt:02x}--user{n}\n")
    });
    let rows = lines.collect::<String>();
    for spec in ["", "[[row_hasher]]\nprefix = \"p\"\ntablets = 20\n"] {
        let place = Place::new();
        place.file("rows", &rows);
        place.file("s.toml", spec);
        place.fluo("table create --at embedded:d pages").succeeds();
        if !spec.is_empty() {
            place
                .fluo("table apply --at embedded:d --spec s.toml --no-wait pages")
                .succeeds();
        }
        place
            .fluo("table load --at embedded:d pages --design unsalted rows")
            .succeeds();
        let run = place.fluo("advise --at embedded:d pages").succeeds();
        assert_says(
            run.text(),
            "Advice\n\n  Leave the keys as they are: an unknown design seems to have salted or hashed them already (the first \
             2 characters, hexadecimal digits, are spread evenly)",
        );
        for wrong in ["load them again", "Leave the table", "Use "] {
            assert!(!run.text().contains(wrong), "{wrong}: {}", run.text());
        }
        let json = place.fluo("advise --at embedded:d --json pages").json();
        assert_eq!(json["advice"]["decision"], "unknown-design");
    }
}
