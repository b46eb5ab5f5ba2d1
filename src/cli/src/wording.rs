//! Messages of parsers, without terms of the language and the libraries of this program.

use crate::names;

/// A message, and advice on a name in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reworded {
    pub(crate) cause: String,
    pub(crate) advice: Option<String>,
}

/// Types and values as the parsers name them, and as users do.
const TERMS: [(&str, &str); 17] = [
    ("a string", "text in quotes"),
    ("a boolean", "true or false"),
    ("a sequence", "a list"),
    ("sequence", "a list"),
    ("a map", "a table"),
    ("map", "a table"),
    ("usize", "a whole number from 0 on"),
    ("u64", "a whole number from 0 on"),
    ("u32", "a whole number from 0 on"),
    ("u16", "a whole number from 0 on"),
    ("u8", "a whole number from 0 on"),
    ("i64", "a whole number"),
    ("f64", "a number"),
    ("unit", "nothing"),
    ("string or map", "one of its values"),
    ("newtype variant", "a table with one value"),
    ("unit variant", "a name alone"),
];

/// Rewords a message of serde, or returns it as it is.
pub(crate) fn reworded(message: &str) -> Reworded {
    let plain = |cause: String| Reworded { cause, advice: None };
    for (start, noun, list) in [
        ("unknown field `", "setting", "settings"),
        ("unknown variant `", "value", "values"),
        ("unknown design `", "design", "designs"),
    ] {
        let Some((name, rest)) = message.strip_prefix(start).and_then(|rest| rest.split_once('`'))
        else {
            continue;
        };
        let known: Vec<_> = rest.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let advice = names::advice(name, list, &known);
        return Reworded { cause: format!("unknown {noun} `{name}`"), advice };
    }
    if let Some(name) = message.strip_prefix("missing field `") {
        return plain(format!("the setting `{name} is missing"));
    }
    let wrong = message.strip_prefix("invalid type: ");
    let wrong = wrong.or_else(|| message.strip_prefix("invalid value: "));
    match wrong.and_then(|wrong| wrong.split_once(", expected ")) {
        Some((found, expected)) => {
            plain(format!("expected {}, but found {}", term(expected), value(found)))
        }
        None if message.starts_with("data did not match any variant") => {
            plain("this is none of the values that are possible here".to_owned())
        }
        None => plain(message.replace("EOF while parsing", "the text ends within")),
    }
}

/// Rewords an error in JSON, with its line.
pub(crate) fn of_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let (message, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    let Reworded { cause, advice } = reworded(message);
    match advice.filter(|advice| advice.starts_with("did you mean")) {
        Some(advice) => format!("{cause}, at line {}; {advice}", error.line()),
        None => format!("{cause}, at line {}", error.line()),
    }
}

fn term(name: &str) -> &str {
    let known = TERMS.iter().find(|(term, _)| *term == name);
    let kind = name.split(' ').next();
    match (known, kind) {
        (Some((_, plain)), _) => plain,
        (None, Some("struct" | "tuple" | "internally" | "adjacently")) => "a table",
        (None, Some("enum")) => "one of its values",
        (None, _) => name,
    }
}

/// Names a value: its text alone if it is quoted.
fn value(name: &str) -> String {
    match (name.strip_prefix("string "), name.split('`').nth(1)) {
        (Some(text), _) => format!("the text {text}"),
        (None, Some(number)) => format!("`{number}`"),
        (None, None) => term(name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewords_messages_of_parsers() {
        for (message, cause, advice) in [
            (
                "unknown field `bucket`, expected one of `buckets`, `of`",
                "unknown setting `bucket`",
                "did you mean `buckets`?",
            ),
            ("unknown field `x`, there are no fields", "unknown setting `x`", ""),
            (
                "unknown variant `md5`, expected `first` or `last`",
                "unknown value `md5`",
                "values: `first`, `last`",
            ),
            ("missing field `prefix`", "the setting `prefix` is missing", ""),
            (
                "invalid type: string \"3\", expected u32",
                "expected a whole number from 0 on, but found the text \"3\"",
                "",
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "expected a whole number from 0 on, but found `-1`",
                "",
            ),
            (
                "invalid type: integer `99999999999999999999` as i128, expected u32",
                "expected a whole number from 0 on, but found `99999999999999999999`",
                "",
            ),
            ("invalid type: map, expected a sequence", "expected a list, but found a table", ""),
            ("duplicate key", "duplicate key", ""),
        ] {
            let found = reworded(message);
            assert_eq!(found.cause, cause);
            assert_eq!(found.advice.unwrap_or_default(), advice);
        }
    }
}
