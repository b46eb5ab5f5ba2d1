//! Observed columns and settings, as arguments write them.

use std::str::FromStr;

use fluo_table::coordination::{ObservedColumn, ObserverKind};
use fluo_table::{Bytes, Column, unescape};

pub(super) fn observed(text: &str) -> Result<ObservedColumn, String> {
    let parts = text.split_once('=');
    let (column, observer) =
        parts.ok_or("write FAMILY:QUALIFIER=strong,ID or FAMILY:QUALIFIER=weak,ID")?;
    let parts = column.split_once(':');
    let (family, qualifier) =
        parts.ok_or("the column has a family and a qualifier; write FAMILY:QUALIFIER=strong,ID")?;
    let (kind, id) = observer.split_once(',').unwrap_or((observer, ""));
    let kind = ObserverKind::from_str(kind).map_err(|error| error.to_string())?;
    let bytes = |text: &str| -> Result<Bytes, String> {
        unescape(text).map_err(|error| format!("`{text}`: {error}"))
    };
    let column = Column::new(bytes(family)?, bytes(qualifier)?);
    if id.is_empty() {
        return Err(format!(
            "the observer has no id, by which programs know it; write FAMILY:QUALIFIER={kind},ID"
        ));
    }
    Ok(ObservedColumn::new(column, kind, id))
}

pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = parts.ok_or("a setting has a name and a value; write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_an_observed_column() {
        for (text, expected) in [
            ("page:links=strong,a", "page:links (strong, `a`)"),
            ("page:links=Weak,count", "page:links (weak, `count`)"),
            (r"a\x3a\x3d:=weak,a,b=c", "a:=: (weak, `a,b=c`)"),
            (":q=STRONG,a", ":q (strong, `a`)"),
            (r"f:\xff\x00=strong,a", r"f:\xff\x00 (strong, `a`)"),
        ] {
            assert_eq!(observed(text).unwrap().to_string(), expected);
        }
        // The transcripts have the other errors.
        let message = observed("é:links=weak").unwrap_err();
        assert!(message.starts_with("`é`: at byte 0: "), "{message}");
    }

    #[test]
    fn parses_a_setting() {
        assert_eq!(setting("a=b=c").unwrap(), ("a".to_owned(), "b=c".to_owned()));
        assert_eq!(setting("a=").unwrap(), ("a".to_owned(), String::new()));
        for wrong in ["a", "=v", ""] {
            let message = setting(wrong).unwrap_err();
            assert_eq!(message, "a setting has a name and a value; write NAME=VALUE");
        }
    }
}
