//! The name that a user may have meant.

use strsim::osa_distance;

/// Maximum number of names that a message lists.
const MAX_LISTED: usize = 10;

/// Returns the known name that is nearest to a wrong one; `None` if more than a third differs.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let most = wrong.chars().count().div_ceil(3);
    let distances = known.into_iter().map(|name| (osa_distance(wrong, name), name));
    distances.filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
}

/// Returns advice on a wrong name: the nearest known one, or else the first that are known.
/// `None` if no name is known.
pub(crate) fn advice(wrong: &str, what: &str, known: &[String]) -> Option<String> {
    if let Some(name) = nearest(wrong, known.iter().map(String::as_str)) {
        return Some(format!("did you mean `{name}`?"));
    }
    let mut names: Vec<_> = known.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    if known.len() > MAX_LISTED {
        names.push("..".to_owned());
    }
    (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_names_only() {
        let known = ["pages", "users"];
        for (wrong, expected) in [
            ("pagse", Some("pages")),
            ("user", Some("users")),
            ("Pages", Some("pages")),
            ("nothing", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, known), expected, "{wrong}");
        }
    }

    #[test]
    fn lists_some_names_if_none_is_near() {
        let known: Vec<_> = (0..11).map(|number| format!("table{number}")).collect();
        let listed = "tables: `table0`, `table1`, `table2`, `table3`, `table4`, `table5`, `table6`, `table7`, \
                      `table8`, `table9`, ..";
        assert_eq!(advice("x", "tables", &known).unwrap(), listed);
        assert_eq!(advice("x", "tables", &known[..1]).unwrap(), "tables: `table0`");
        assert_eq!(advice("tabel1", "tables", &known).unwrap(), "did you mean `table1`?");
        assert_eq!(advice("x", "tables", &[]), None);
    }
}
