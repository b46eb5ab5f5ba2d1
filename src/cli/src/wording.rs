//! Messages of parsers, without terms of the language and the libraries of this program.

use fluo_table::Grouped;

use crate::names;

/// A message, and advice on a name in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reworded {
    pub(crate) cause: String,
    pub(crate) advice: Option<String>,
}

/// Types and values as the parsers name them, and as users do.
const TERMS: [(&str, &str); 18] = [
    ("a string", "text in quotes"),
    ("null", "null"),
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

/// Starts of messages, and the messages that replace them.
const MESSAGES: [(&str, &str); 16] = [
    ("data did not match any variant", "this is none of the values that are possible here"),
    ("wanted string or table", "expected text in quotes or a table"),
    ("wanted exactly 1 element, found", "a table with one value is expected; this one is empty"),
    ("wanted exactly 1 element, more", "a table with one value is expected; this one has more"),
    ("cannot recurse further", "lists or tables are nested too deeply"),
    ("recursion limit", "lists or tables are nested too deeply"),
    ("key must be a string", "expected the name of a field, in quotes"),
    ("expected value", "expected a value, such as text in quotes or a number"),
    ("expected ident", "expected true, false or null"),
    ("trailing characters", "more text comes after the value"),
    ("trailing comma", "a comma without a value after it"),
    ("number out of range", "the number is too large"),
    ("unexpected end of hex escape", "`\\u` begins half of a character; write both halves"),
    ("lone leading surrogate", "`\\u` begins half of a character; write both halves"),
    ("invalid escape", "a backslash without a JSON escape after it"),
    ("control character", "a control character in text; write it as `\\u00XX`"),
];

/// Rewords a message of serde about settings, or returns it as it is.
pub(crate) fn reworded(message: &str) -> Reworded {
    of_named(message, ["setting", "settings"])
}

/// Rewords a message of serde. `named` are the words for one and for several named values.
fn of_named(message: &str, named: [&'static str; 2]) -> Reworded {
    let plain = |cause: String| Reworded { cause, advice: None };
    let [name, names] = named;
    for (start, noun, list) in [
        ("unknown field `", name, names),
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
    for (start, end) in [("missing field `", "is missing"), ("duplicate field `", "is there twice")]
    {
        if let Some(field) = message.strip_prefix(start) {
            return plain(format!("the {name} `{field} {end}"));
        }
    }
    if let Some((_, plainly)) = MESSAGES.iter().find(|(start, _)| message.starts_with(start)) {
        return plain((*plainly).to_owned());
    }
    let wrong = message.strip_prefix("invalid type: ");
    let wrong = wrong.or_else(|| message.strip_prefix("invalid value: "));
    match wrong.and_then(|wrong| wrong.split_once(", expected ")) {
        Some((found, expected)) => {
            plain(format!("expected {}, but found {}", term(expected), value(found)))
        }
        None => plain(message.replace("EOF while parsing", "the text ends within")),
    }
}

/// Rewords an error in JSON, with its line.
pub(crate) fn of_json(error: &serde_json::Error) -> String {
    of_json_at(error, &format!(", at line {}", error.line()))
}

/// Rewords an error in a line of JSON.
pub(crate) fn of_json_line(error: &serde_json::Error) -> String {
    of_json_at(error, "")
}

fn of_json_at(error: &serde_json::Error, place: &str) -> String {
    let message = error.to_string();
    let (message, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    let Reworded { cause, advice } = of_named(message, ["field", "fields"]);
    match advice.filter(|advice| advice.starts_with("did you mean")) {
        Some(advice) => format!("{cause}{place}; {advice}"),
        None => format!("{cause}{place}"),
    }
}

/// Rewords the message about wrong arguments: numbers, ranges and addresses.
pub(crate) fn of_arguments(message: &str) -> String {
    let message = without_tip(message)
        .replace("invalid digit found in string", "write a whole number")
        .replace("cannot parse integer from empty string", "write a whole number")
        .replace("number too large to fit in target type", "the number is too large")
        .replace(
            "invalid socket address syntax",
            "write an IP address and a port up to 65535, such as 127.0.0.1:9465",
        );
    let message = message.replacen(
        "\n  <FILE|->\n",
        "\n  <FILE|->\n\n  tip: write - for standard input\n",
        1,
    );
    for (start, tip) in TIPS {
        // The parser's own tip names the opposite, or no command.
        if let Some(rest) = message.strip_prefix(start)
            && let Some(usage) = rest.find("\nUsage:").and_then(|at| rest.get(at..))
            && usage.contains("<COMMAND>")
        {
            return format!("{start}\n  tip: {tip}\n{usage}");
        }
    }
    with_tip_on_files(&message).or_else(|| with_bounds(&message)).unwrap_or(message)
}

/// Commands, and tips on the files that they do not take.
const TIPS_ON_FILES: [(&str, &str); 5] = [
    ("fluo advise ", "join several files: cat A B | fluo advise -"),
    ("fluo key add ", "rows are read from standard input"),
    ("fluo key remove ", "keys are read from standard input"),
    ("fluo table import ", "join several files: cat A B | fluo table import .. -"),
    ("fluo table load ", "join several files: cat A B | fluo table load .. -"),
];

/// Adds a tip to the message about an argument that is no option and too many.
fn with_tip_on_files(message: &str) -> Option<String> {
    let (start, usage) = message.split_once("\n\nUsage: ")?;
    let is_file = start.starts_with("error: unexpected argument '") && !start.contains("'-");
    let (_, tip) =
        TIPS_ON_FILES.iter().find(|(command, _)| is_file && usage.starts_with(command))?;
    Some(format!("{start}\n\n  tip: {tip}\n\nUsage: {usage}"))
}

/// Removes the tip to pass an unknown option as a value.
fn without_tip(message: &str) -> String {
    let is_tip = |paragraph: &&str| paragraph.starts_with("  tip: to pass '--");
    message.split("\n\n").filter(|paragraph| !is_tip(paragraph)).collect::<Vec<_>>().join("\n\n")
}

/// First lines of messages about the words before a command, and the tips that follow them.
const TIPS: [(&str, &str); 1] = [(
    "error: unexpected argument '--at' found\n",
    "write --at after the whole command, or set FLUO_AT for all commands",
)];

/// Replaces a range such as `1..=65536`; `None` if there is none.
fn with_bounds(message: &str) -> Option<String> {
    let (start, rest) = message.split_once(" is not in ")?;
    let (range, rest) = rest.split_once('\n')?;
    let (least, most) = range.split_once("..")?;
    let most = most.strip_prefix('=').unwrap_or(most);
    let [least, most] = [least, most].map(|number| number.parse::<u64>().ok());
    let (least, most) = (Grouped(least?), most?);
    Some(if [u32::MAX.into(), u64::MAX].contains(&most) {
        format!("{start} is not a number from {least} on\n{rest}")
    } else {
        format!("{start} is not a number from {least} to {}\n{rest}", Grouped(most))
    })
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
            ("duplicate field `row`", "the setting `row` is there twice", ""),
            ("wanted string or table", "expected text in quotes or a table", ""),
            ("duplicate key", "duplicate key", ""),
        ] {
            let found = reworded(message);
            assert_eq!(found.cause, cause);
            assert_eq!(found.advice.unwrap_or_default(), advice);
        }
    }

    #[test]
    fn rewords_errors_in_json() {
        for (json, expected) in [
            ("{", "the text ends within an object"),
            ("{1}", "expected the name of a field, in quotes"),
            ("{\"a\":x}", "expected a value, such as text in quotes or a number"),
            ("{\"a\":nix}", "expected true, false or null"),
            ("{\"a\":1} 2", "more text comes after the value"),
            ("{\"a\":1,}", "a comma without a value after it"),
            ("{\"b\":1}", "the field `a` is missing"),
            ("{\"a\":1,\"a\":2}", "the field `a` is there twice"),
            ("{\"a\":\"x\"}", "expected a whole number, but found the text \"x\""),
            ("{\"a\":1e20}", "expected a whole number, but found `1e+20`"),
            ("{\"a\":null}", "expected a whole number, but found null"),
            ("{\"a\":1,\"\\ud800\":1}", "`\\u` begins half of a character; write both halves"),
            ("{\"a\":1,\"\\q\":1}", "a backslash without a JSON escape after it"),
            ("{\"a\":1,\"\n\":1}", "a control character in text; write it as `\\u00XX`"),
        ] {
            let error = serde_json::from_str::<A>(json).unwrap_err();
            assert_eq!(of_json_line(&error), expected, "{json}");
            assert!(of_json(&error).starts_with(&format!("{expected}, at line ")), "{json}");
        }
    }

    #[derive(Debug, serde::Deserialize)]
    struct A {
        #[serde(rename = "a")]
        _a: i64,
    }
}
