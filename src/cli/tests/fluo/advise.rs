//! The command `fluo advise` on files of keys: its output, its files and its errors.

use crate::command::{Place, ROWS, Run, assert_says};

fn lines(count: u32, line: fn(u32) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

fn ids(count: u32) -> String {
    lines(count, |id| format!("{id:010}"))
}

#[test]
fn json_has_the_report_and_its_types() {
    let place = Place::new();
    place.file("keys", ROWS);
    let command = "advise --servers 4 --reads range --json keys";
    let json = place.fluo(command).json();
    assert_eq!(json["source"], "keys");
    assert_eq!(json["decision"], "new-design");
    assert_eq!(json["profile"]["keys"], 4_208);
    assert_eq!(json["profile"]["order"]["arrivals"], "as-written");
    assert!(json["profile"].get("heat_map").is_none());
    let designs = json["designs"].as_array().unwrap();
    assert_eq!(designs[0]["suitability"], "recommended");
    let keys = designs[0]["load"]["keys"].as_array().unwrap().iter();
    assert_eq!(keys.map(|keys| keys.as_u64().unwrap()).sum::<u64>(), 4_208);
    let of = |label: &str| designs.iter().find(|design| design["label"] == label);
    let hasher = of("row-hasher").unwrap();
    assert_eq!(hasher["suitability"], "unreadable");
    assert_eq!(hasher["faults"][0]["fault"], "unsupported-read");
    assert_eq!(hasher["faults"][0]["read"], "range");
    let spec = json["spec_file"].as_str().unwrap();
    assert_says(spec, designs[0]["settings"]["design"].as_str().unwrap());
    // The same keys give the same advice.
    let again = place.runs(command);
    assert_eq!(again.stdout, place.runs(command).stdout);
}

/// A reader can repeat the command of a page, and send the page.
#[test]
fn the_page_contains_its_command_and_is_small() {
    let place = Place::new();
    place.file("my keys", ROWS);
    let command = ["advise", "--tablets", "1000", "--html", "page.html", "my keys"];
    place.with(command).succeeds();
    let page = place.read("page.html");
    assert_says(&page, "fluo advise --tablets 1000 --html page.html 'my keys'");
    assert!(page.len() < 150_000, "{} bytes", page.len());
}

/// Writes the page of keys, and returns it with the JSON of the same advice.
fn page(keys: &str, arguments: &str) -> (String, serde_json::Value) {
    let place = Place::new();
    place.file("keys", keys);
    let json = place.fluo(&format!("advise keys --json --html page.html {arguments}")).json();
    (place.read("page.html"), json)
}

/// A row with 31 % of the keys is a fault of all keys, which no design removes.
fn hot_row() -> String {
    lines(4_000, |number| match number % 100 {
        0..31 => "hot".to_owned(),
        _ => format!("{:08x}", number.wrapping_mul(2_654_435_761)),
    })
}

#[test]
fn the_page_compares_a_good_design_with_the_keys_by_the_figure_of_their_fault() {
    let (good, json) = page(&ids(20_000), "--servers 4");
    assert_eq!(json["decision"], "new-design");
    assert_says(&good, "<strong class=\"bad\">100 %</strong> of the newest keys");
    assert!(good.contains("Before: ") && good.contains("After: "));
}

#[test]
fn the_page_does_not_compare_the_least_bad_design() {
    let (page, json) = page(&hot_row(), "--servers 10");
    assert_eq!(json["decision"], "least-bad");
    assert!(!page.contains("Before: ") && !page.contains("After: "));
    assert!(!page.contains("</strong> of the newest keys"));
    assert_says(&page, "</strong> the mean load, in the fullest tablet");
}

/// The edge of the least bad design is not that of a good one.
#[test]
fn the_page_marks_only_a_good_design_as_good() {
    let row = |page: &str, class: &str| page.matches(&format!("<tr class=\"{class}\"")).count();
    let (least_bad, json) = page(&hot_row(), "--servers 10");
    assert_eq!(json["decision"], "least-bad");
    assert_eq!((row(&least_bad, "advised faulty"), row(&least_bad, "advised")), (1, 0));
    let (good, _) = page(&ids(20_000), "--servers 4");
    assert_eq!((row(&good, "advised faulty"), row(&good, "advised")), (0, 1));
    // A design that the keys have, in fewer tablets than servers: it was drawn as a good one.
    let salt = "key add --design digest-salt,digits=1,separator=:";
    let salted = String::from_utf8(Place::new().fed(salt, ids(5_000)).stdout).unwrap();
    let (few, json) = page(&salted, "--servers 20");
    assert_eq!(json["designs"][0]["suitability"], "too-few-tablets");
    let verdict = "Keep digest-salt in 10 tablets, although 10 tablets cannot use 20 servers.";
    assert_says(&few, verdict);
    assert_eq!((row(&few, "advised scarce"), row(&few, "advised")), (1, 0));
    assert_eq!(
        (few.matches("✓ recommended").count(), few.matches("class=\"good\"").count()),
        (0, 0)
    );
}

/// A key may be a URL with a password. Each place that shows keys hides it: the frequent rows, the
/// marks of the map, the split points, and the reason of a design that rejects keys.
#[test]
fn the_text_and_the_page_hide_passwords_of_keys() {
    let place = Place::new();
    let page = |number: u32| {
        format!("https://u{:08x}:hunter2@h/{number}", number.wrapping_mul(2_654_435_761))
    };
    place.file("even", (0..4_000).map(|number| page(number) + "\n").collect::<String>());
    let hot = |number| match number % 10 {
        0 => "https://root:hunter2@hot.example/\n".to_owned(),
        _ => page(number) + "\n",
    };
    place.file("hot", (0..4_000).map(hot).collect::<String>());
    place.file("times.toml", "[[key_design]]\ndesign = \"reverse-time\"\ntablets = 4\n");
    for (arguments, shown) in [
        ("hot --spec times.toml", "no key for 4,000 keys: `***@hot.example/` has no time"),
        ("hot", "hottest row"),
        ("even", "Leave the keys as they are"),
    ] {
        let run = place.runs(&format!("advise --servers 4 --html page.html {arguments}"));
        let text = String::from_utf8(run.stdout).unwrap();
        let page = place.read("page.html");
        assert_says(&text, shown);
        assert_says(&page, shown);
        let is_hidden = "The spec contains possible passwords; `--write-spec` writes it\n";
        for shown in [&page, &text] {
            assert_eq!(shown.contains(is_hidden), arguments == "even", "{shown}");
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }
}

/// Covers a bug: a key was cut before the `@` of its login, whose start was not hidden.
#[test]
fn the_text_and_the_page_hide_the_start_of_a_long_login() {
    let place = Place::new();
    let token = "x".repeat(300);
    let keys: String =
        (0..4_000).map(|number| format!("https://oauth2:{token}@h/{number}\n")).collect();
    place.file("keys", keys);
    place.file("times.toml", "[[key_design]]\ndesign = \"reverse-time\"\ntablets = 4\n");
    let run = place.runs("advise --servers 4 --spec times.toml --html page.html keys");
    for shown in [run.text(), &*place.read("page.html")] {
        assert_says(shown, "no key for 4,000 keys");
        assert_says(shown, "host: `***` 100 %");
        assert!(!shown.contains("xxx"), "{shown}");
    }
}

/// Covers a bug: the part before the `@` of e-mail addresses was hidden.
#[test]
fn the_text_and_the_page_show_mail_addresses() {
    let place = Place::new();
    place.file("keys", lines(4_000, |number| format!("user{number:04}@example.com")));
    let run = place.runs("advise --servers 4 --unordered --html page.html keys");
    assert_says(run.text(), "common prefix  `user`");
    assert_says(&place.read("page.html"), "<code>user1000@example.com</code>");
}

/// The split points of the unsalted keys are from the sample, and two of them are the frequent row.
#[test]
fn the_page_compares_different_numbers_of_tablets_by_their_means() {
    let keys = lines(480, |number| match number % 20 {
        0 => "0000000240 frequent".to_owned(),
        _ => format!("{number:010}"),
    });
    let (page, json) = page(&keys, "--servers 10");
    let designs = json["designs"].as_array().unwrap();
    let unsalted = designs.iter().find(|design| design["label"] == "unsalted").unwrap();
    let tablets = |design: &serde_json::Value| design["load"]["keys"].as_array().unwrap().len();
    assert!(tablets(unsalted) < tablets(&designs[0]));
    assert_eq!(json["decision"], "new-design");
    assert_eq!(unsalted["faults"][0]["fault"], "newest-together");
    assert_says(&page, "</strong> the mean of the newest keys, in the fullest tablet");
    assert!(page.contains("Before: ") && !page.contains("</strong> of the newest keys"));
}

/// Bars of the newest keys are chance if the fault is in all keys, and the other way around.
#[test]
fn the_page_has_alarms_only_in_the_keys_at_fault() {
    let faults_of_all = ["full-tablet", "few-salts", "heavy-part"];
    let series = [("all keys", &faults_of_all[..]), ("newest 5 %", &["newest-together"])];
    for (keys, alarmed) in [(hot_row(), 0), (ids(20_000), 1)] {
        let (page, json) = page(&keys, "--servers 10");
        let mut alarms = [0; 2];
        for design in json["designs"].as_array().unwrap() {
            let faults = design["faults"].as_array().unwrap();
            for ((name, telling), alarms) in series.iter().zip(&mut alarms) {
                let label = design["label"].as_str().unwrap();
                let picture = format!("aria-label=\"Load per tablet of {label}, {name}\"");
                let drawn = page.rsplit_once(&picture).map_or("", |(_, rest)| rest);
                let drawn = drawn.split("</figure>").next().unwrap();
                let is_alarm =
                    drawn.split("aria-label").next().unwrap().contains("rect class=\"alarm\"");
                let is_fault =
                    faults.iter().any(|fault| telling.iter().any(|name| fault["fault"] == *name));
                assert!(is_fault || !is_alarm, "{label}, {name}: {faults:?}");
                *alarms += u32::from(is_alarm);
            }
        }
        assert!(alarms[alarmed] > 0, "{alarms:?}");
    }
}

/// The place of new keys has no figure, and neither arrivals nor diagonals have a meaning.
#[test]
fn the_page_of_unordered_keys_has_no_figure_of_new_keys() {
    let (unordered, json) = page(&ids(20_000), "--servers 4 --unordered");
    assert_eq!(json["decision"], "new-design");
    for said in ["Before: ", "After: ", "100 %</strong>", "A diagonal", "of the new keys"] {
        assert!(!unordered.contains(said), "{said}");
    }
    assert_says(&unordered, "Order of reading (the arrival is unknown), the first of 20,000 keys");
    assert_says(&page(&ids(20_000), "").0, "on top, against the place of the key. A diagonal: new");
}

#[test]
fn the_page_of_one_key_praises_nothing() {
    for arguments in ["", "--unordered"] {
        let (page, _) = page("a\n", arguments);
        assert!(!page.contains("<strong class=\"good\">"), "{arguments}");
        assert!(!page.contains("Before: ") && !page.contains("100 %</strong>"), "{arguments}");
        assert_says(&page, "the first of 1 key on top");
        assert_eq!(page.matches("<code>a</code></li>").count(), 1);
    }
}

/// Covers a bug: the advice for one key did not say that the key proves nothing.
#[test]
fn too_few_keys_prove_nothing() {
    let place = Place::new();
    let advice =
        |keys: String| place.fed("advise - --servers 5", keys).succeeds().text().to_owned();
    let few = "Use row-hasher in 20 tablets. The keys are too few to tell whether it is even.\n";
    let one = advice("a\n".to_owned());
    assert_says(&one, few);
    assert_says(&one, "1 key in 20 tablets: too few to tell\n");
    assert!(!advice(ids(20_000)).contains("too few to tell"));
}

/// Covers a bug: a row hasher without a key was called good.
#[test]
fn a_split_table_without_hashed_rows_proves_nothing() {
    let place = Place::with_table();
    place.file(
        "spec.toml",
        "[[key_design]]\ndesign = \"row-hasher\"\nprefix = \"p\"\ntablets = 4\n",
    );
    place.runs("table apply --at embedded:d --spec spec.toml --no-wait pages");
    place.file("rows", "plain\n");
    place.runs("table load --at embedded:d --design unsalted pages rows");
    let run = place.runs("advise --at embedded:d pages");
    assert_says(run.text(), "0 keys in 4 tablets: too few to tell\n");
}

/// Covers a bug: the advice for a web table was a row hasher over its salts, with `unsalted` as the
/// earlier design. After `apply` and `migrate`, no page was found.
#[test]
fn a_web_table_of_real_pages_keeps_its_design() {
    let place = Place::with_table();
    let web = "[[key_design]]\ndesign = \"web-table\"\ntablets = 20\n";
    place.file("web.toml", web);
    let page = |row: &str| {
        let (host, rest) = row.split_once('/').unwrap_or((row, ""));
        let host: Vec<_> = host.rsplit('.').collect();
        format!("https://{}/{rest}\n", host.join("."))
    };
    place.file("urls", ROWS.lines().map(page).collect::<String>());
    place.runs("table load --at embedded:d --spec web.toml pages urls");
    let advise = "advise --at embedded:d --write-spec advised.toml pages";
    for arguments in ["", " --servers 5", " --servers 5 --spec web.toml"] {
        let run = place.runs(&format!("{advise}{arguments}"));
        assert_says(run.text(), "Keep web-table in ");
        let spec = place.read("advised.toml");
        assert!(spec.contains("web-table") && !spec.contains("before"), "{spec}");
    }
    place.runs("table apply --at embedded:d --spec advised.toml --no-wait pages");
    place.runs("table get --at embedded:d --spec advised.toml pages https://0install.net/");
    // Pages of one site have one salt.
    place.runs("table create --at embedded:d site");
    place.file("urls", lines(400, |page| format!("https://example.com/{page}")));
    place.runs("table load --at embedded:d --spec web.toml site urls");
    let run = place.runs("advise --at embedded:d site --spec web.toml");
    assert_says(run.text(), "Keep web-table in ");
}

/// Covers a bug: salts of an unknown design were taken for plain rows.
#[test]
fn rows_that_may_be_salted_are_not_moved() {
    let place = Place::with_table();
    let page = |page: u32| {
        let site = if page % 9 < 4 { 0 } else { page };
        format!("{:02x}:com.site{site}/{page}", site * 7 % 256)
    };
    place.file("rows", lines(4_000, page));
    place.runs("table load --at embedded:d --design unsalted pages rows");
    let run = place.runs("advise --at embedded:d pages");
    assert_says(
        run.text(),
        "\nUse row-hasher in 8 tablets. The keys may be salted already: give their design, or \
         `unsalted`, in --spec.\n",
    );
    assert!(!run.text().contains("key_design.before"), "{}", run.text());
    place.file("plain.toml", "[[key_design]]\ndesign = \"unsalted\"\nsplit_points = []\n");
    let run = place.runs("advise --at embedded:d --spec plain.toml pages");
    assert!(!run.text().contains("may be salted"), "{}", run.text());
    assert_says(run.text(), "[[key_design.before]]\n  design = \"unsalted\"\n");
}

/// Covers a bug: the second spec had lost the design that half of the rows still had.
#[test]
fn a_second_spec_keeps_the_earlier_designs() {
    const BEFORE: &str = "[[key_design.before]]\ndesign = \"unsalted\"\n";
    let place = Place::with_table();
    place.file("rows", ids(2_000));
    place.runs("table load --at embedded:d --design unsalted pages rows");
    let advise = "advise --at embedded:d pages --write-spec";
    place.runs(&format!("{advise} new.toml"));
    assert_says(&place.read("new.toml"), BEFORE);
    place.runs("table apply --at embedded:d --spec new.toml --no-wait pages");
    // Most rows are plain, and then most are hashed. An empty file is not a spec, and is replaced.
    place.file("plain.toml", "");
    for file in ["plain.toml", "new.toml"] {
        let run = place.runs(&format!("{advise} {file}"));
        assert_says(run.text(), "After `apply`, `fluo table migrate` moves the rows.");
        assert_says(&place.read(file), BEFORE);
        place.runs("table load --at embedded:d --prefix r pages rows");
        place.file("rows", lines(4_000, |id| format!("{id:05}")));
    }
    place.runs(&format!("{advise} other.toml --spec new.toml"));
    assert_eq!(place.read("other.toml"), place.read("new.toml"));
    place.runs("table migrate --at embedded:d --spec new.toml pages");

    let other = "[[key_design]]\ndesign = \"modulo\"\ntablets = 4\n\
                 [[key_design.before]]\ndesign = \"modulo\"\nbuckets = 4\n";
    place.file("new.toml", other);
    assert_eq!(
        place.fails(&format!("{advise} new.toml")),
        "cannot write the spec new.toml: it has earlier designs of key design modulo, which is not advised; \
         remove them once `fluo table migrate` has moved all rows, or name another file"
    );
    assert_eq!(place.read("new.toml"), other);
}

/// Covers a bug: what the file expected of the table was lost.
#[test]
fn a_second_spec_keeps_the_expectations() {
    const EXPECTED: &str = "max_skew = 3.0\nother_rows = \"allowed\"\n\n[[key_design]]\n";
    let place = Place::new();
    place.file("keys", ids(2_000));
    place.file(
        "mine.toml",
        "other_rows = \"allowed\"\n[[row_hasher]]\nprefix = \"p\"\ntablets = 4\n",
    );
    place.runs("advise keys --write-spec new.toml");
    let advised = place.read("new.toml");
    assert!(advised.starts_with("[[key_design]]\n"), "{advised}");
    place.runs("advise keys --spec mine.toml --write-spec new.toml");
    assert_eq!(place.read("new.toml"), advised, "the file has precedence");
    place.file("new.toml", format!("max_skew = 3\nother_rows = \"allowed\"\n{advised}"));
    for arguments in ["--write-spec new.toml", "--write-spec other.toml --spec new.toml"] {
        let run = place.runs(&format!("advise keys {arguments}"));
        let file = arguments.split(' ').nth(1).unwrap();
        let spec = place.read(file);
        assert!(spec.starts_with(EXPECTED) && spec.ends_with(&advised), "{spec}");
        assert_says(run.text(), "  max_skew = 3.0\n");
    }
}

/// A refusal says why the file is not a spec, with the advice of this error once.
#[test]
fn a_file_that_is_almost_a_spec_is_not_replaced() {
    let place = Place::new();
    place.file("keys", ids(100));
    place.file("old.toml", "[[row_hasher]]\nprefix = \"p\"\n");
    assert_eq!(
        place.fails("advise keys --write-spec old.toml"),
        "cannot write the spec old.toml: the file exists and is not a spec: the setting `tablets` or \
         `split_points` is missing, at line 1, column 1 of old.toml; give a number of tablets, or points \
         such as [\"g\", \"p\"]; name another file"
    );
}

/// A name that a shell divides is quoted in the command that is to be pasted.
#[test]
fn the_next_command_can_be_pasted() {
    let place = Place::with_table();
    place.file("rows", ids(2_000));
    place.runs("table load --at embedded:d --design unsalted pages rows");
    let run =
        place.with(["advise", "--at", "embedded:d", "--write-spec", "it's new.toml", "pages"]);
    assert_says(
        run.succeeds().text(),
        "Next: `fluo table plan --at embedded:d --spec \"it's new.toml\" pages` shows",
    );
    let plan = ["table", "plan", "--at", "embedded:d", "--out", "a plan", "pages"];
    let run = place.with(plan.into_iter().chain(["--spec", "it's new.toml"]));
    let said = run.succeeds().stderr;
    assert_says(&said, "saved as a plan; `fluo table apply --at TARGET 'a plan'` does it");
}

/// The earlier design of a recipe was advised as a recipe of its own, and so the spec was refused.
#[test]
fn the_spec_of_moving_rows_has_one_recipe() {
    let place = Place::with_table();
    place.file("rows", ids(2_000));
    place.runs("table load --at embedded:d --prefix q pages rows");
    place.file("q.toml", "[[row_hasher]]\nprefix = \"q\"\ntablets = 4\n");
    place.runs("table apply --at embedded:d --spec q.toml --no-wait pages");
    let moving = "[[row_hasher]]\nprefix = \"p\"\ntablets = 4\n\
                  [[row_hasher.before]]\ndesign = \"row-hasher\"\nprefix = \"q\"\n";
    place.file("p.toml", moving);
    place.runs("table apply --at embedded:d --spec p.toml --no-wait pages");
    place.runs("table load --at embedded:d --prefix p pages rows");
    for _ in 0..2 {
        place.runs("advise --at embedded:d pages --write-spec p.toml");
        let spec = place.read("p.toml");
        assert_eq!(spec.matches("[[key_design]]").count(), 1, "{spec}");
        assert_says(&spec, "prefix = \"q\"");
        place.runs("table migrate --at embedded:d --spec p.toml pages");
    }
}

/// Covers a bug: the command wrote a spec that `plan` refused.
#[test]
fn a_spec_of_recipes_that_overlap_is_not_written() {
    let place = Place::new();
    let keys = |prefix: &str| {
        let run = place.fed(&format!("key add --prefix {prefix}"), ids(2_000));
        String::from_utf8(run.stdout).unwrap()
    };
    place.file("keys", keys("p") + &keys("p:x"));
    assert_eq!(
        place.fails("advise --write-spec new.toml keys"),
        "cannot write the spec new.toml: row hasher `p` and row hasher `p:x` overlap; give them \
         prefixes of which neither starts with the other, in new.toml"
    );
    assert!(!place.path("new.toml").exists());
    let run = place.runs("advise keys --html page.html");
    assert_says(run.text(), "Keep row-hasher `p` and row-hasher `p:x` in");
    let reason = "There is no spec: row hasher `p` and row hasher `p:x` overlap; give them \
                  prefixes of which neither starts with the other, in the spec.";
    for text in [run.text(), &place.read("page.html")] {
        assert_says(text, reason);
        assert!(!text.contains("Next: "), "{text}");
    }
    assert!(place.fluo("advise keys --json").json()["spec_file"].is_null());
}

/// A mark is at its quarter, and equal keys have one.
#[test]
fn the_page_marks_equal_keys_once() {
    let (page, _) = page(&"a\na\nb\nb\n".repeat(100), "");
    let marks = |key: &str, column| {
        page.matches(&format!("<li style=\"grid-column:{column}\"><code>{key}</code>")).count()
    };
    assert_eq!((marks("a", 1), marks("b", 3)), (1, 1));
    assert_eq!(page.matches("grid-column:").count() - page.matches("grid-column: ").count(), 2);
}

/// Split points are longer than the beginning that keys share. The page contains the beginning of
/// the spec, as the text does.
#[test]
fn the_page_of_long_keys_is_small() {
    let place = Place::new();
    let key =
        |number: u32| format!("{}{:08x}", "x".repeat(4_000), number.wrapping_mul(2_654_435_761));
    place.file("keys", lines(1_500, key));
    let run = place.runs("advise keys --tablets 512 --html page.html --write-spec spec.toml");
    let page = place.read("page.html");
    assert!(place.read("spec.toml").len() > 1_000_000);
    assert!(page.len() < 250_000, "{} bytes", page.len());
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.len() < 150_000, "{} bytes", text.len());
    for text in [&page, &text] {
        assert_says(text, " more lines; `--write-spec` writes all\n");
    }
}

/// Covers a bug: FLUO_AT, which sets the location for all commands, made each file a table.
#[test]
fn a_location_for_all_commands_does_not_hide_files() {
    let place = Place::with_table();
    for name in ["keys", "keys.2024.txt", "keys-2024", "pages"] {
        place.file(name, ids(100));
    }
    let run = |arguments: &str| {
        let mut command = place.command(arguments.split_whitespace());
        Run::of(command.env("FLUO_AT", "embedded:d").output().unwrap())
    };
    for (file, note) in [
        ("keys", "reading the file keys, because embedded:d has no such table\n"),
        ("keys.2024.txt", ""),
        ("keys-2024", ""),
        ("./pages", ""),
    ] {
        let run = run(&format!("advise {file}")).succeeds();
        assert!(run.text().starts_with(&format!("Keys of {file}\n")), "{}", run.text());
        assert_eq!(run.stderr, note);
    }
    for (arguments, message) in [
        ("pages", "`pages` is a file and a table; write ./pages for the file, or --table pages"),
        ("--table pages", "there are no keys in table `pages`: give at least one"),
        ("none", "there is no file `none`: there is no table `none`; tables: `pages`"),
        ("--encoding hex none", "--encoding is for a file of keys; omit it for a table"),
        ("--authorization a ./pages", "--authorization is for a table; omit it for a file"),
    ] {
        assert_eq!(run(&format!("advise {arguments}")).fails(), message);
    }
    let mut unknown = place.command(["advise", "keys"]);
    let unknown = Run::of(unknown.env("FLUO_AT", "embedded:none").output().unwrap()).fails();
    assert!(unknown.ends_with("; write ./keys for the file, or --table keys"), "{unknown}");
}

/// Covers a bug: `--at` before a path or `-` had no effect, and the file was read.
#[test]
fn a_location_on_the_command_line_is_for_a_table() {
    let place = Place::with_table();
    place.file("keys", ids(100));
    for (name, message) in [
        ("keys", "there is no table `keys`; tables: `pages`"),
        ("pages", "there are no keys in table `pages`: give at least one"),
    ] {
        assert_eq!(place.fails(&format!("advise --at embedded:d {name}")), message);
    }
    for name in ["./keys", "-", "--table ./keys"] {
        let message = place.fails(&format!("advise --at embedded:d {name}"));
        assert_says(&message, "` cannot be the name of a table: use 1 to 1,024 letters, digits");
        assert!(message.ends_with("; omit --at for a file"), "{message}");
    }
}

/// The newest keys are the fault of keys in order, and the loads show them.
#[test]
fn keys_in_order_have_a_hot_end() {
    let place = Place::new();
    place.file("keys", ids(20_000));
    let json = place.fluo("advise --servers 1 --json keys").json();
    let mut designs = json["designs"].as_array().unwrap().iter();
    let unsalted = designs.find(|design| design["label"] == "unsalted").unwrap();
    assert_eq!(unsalted["suitability"], "hot-end");
    assert_eq!(unsalted["load"]["newest_keys"], serde_json::json!([0, 0, 0, 1_000]));
}

/// Shows the number of keys while the command waits for more.
#[cfg(unix)]
#[test]
fn shows_progress_at_a_terminal() {
    use std::io::Write;

    let place = Place::new();
    place.pipe("pipe");
    let session = place.at_terminal("advise pipe", &[]);
    let mut pipe = std::fs::File::options().write(true).open(place.path("pipe")).unwrap();
    pipe.write_all(ids(140_000).as_bytes()).unwrap();
    session.waits_for("keys 131,072 (");
    drop(pipe);
    let (code, shown) = session.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert_says(&shown, "140,000, 140,000 different");
}

/// Shows the share of a file, and of the entries of a table.
#[cfg(unix)]
#[test]
fn shows_the_share_of_a_known_total_at_a_terminal() {
    let place = Place::with_table();
    place.file("keys", ids(600_000));
    place.runs("table load --at embedded:d --design unsalted pages keys");
    for (arguments, total) in
        [("advise keys", " of 6.60 MB ("), ("advise --at embedded:d pages", "reading rows ")]
    {
        // A bar is drawn ten times a second, so a fast run may draw none.
        let is_shown = (0..20).any(|_| {
            let (code, shown) = place.at_terminal(arguments, &[]).ended();
            assert_eq!(code, Some(0), "{shown}");
            let has_share = shown.contains(" %, ") || shown.contains(" % (");
            has_share && shown.contains(total) && shown.contains(" left)")
        });
        assert!(is_shown, "{arguments}");
    }
}
