//! Encodings of rows, keys, columns and values, on lines of text and in arguments.
//!
//! Printed text of application data is valid as an argument: `\xNN` is a byte in both. Arguments
//! may also contain blanks and letters that are not ASCII.

use std::borrow::Cow;
use std::ffi::OsStr;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, ValueEnum};
use data_encoding::{BASE64, DecodeKind, HEXLOWER, HEXLOWER_PERMISSIVE};
use fluo_table::{Bytes, Column, ColumnSelector, Escaped, unescape};

use crate::masking;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Encoding {
    // Unchanged, without newlines.
    #[default]
    Text,
    // Two hex digits for each byte.
    Hex,
    // Base64 with padding.
    Base64,
}

impl Encoding {
    pub(crate) fn decode(self, line: &[u8]) -> Result<Cow<'_, [u8]>> {
        let (bytes, expected) = match self {
            Self::Text => return Ok(Cow::Borrowed(line)),
            Self::Hex => (HEXLOWER_PERMISSIVE.decode(line), "hex: two of 0-9a-f for each byte"),
            Self::Base64 => (BASE64.decode(line), "base64 with its padding"),
        };
        bytes.map(Cow::Owned).map_err(|error| {
            let flaw = self.flaw(line, error.kind);
            anyhow!("it is not {expected} ({flaw})")
        })
    }

    /// Returns the reason why a line cannot be decoded.
    fn flaw(self, line: &[u8], kind: DecodeKind) -> String {
        let (digit, is_digit): (_, fn(&u8) -> bool) = match self {
            Self::Hex => ("hex digit", u8::is_ascii_hexdigit),
            Self::Text | Self::Base64 => ("base64 digit", is_base64),
        };
        if let Some(place) = line.iter().position(|byte| !is_digit(byte)) {
            let wrong = first_shown(line.get(place..).unwrap_or_default());
            return format!("`{wrong}` is not a {digit}");
        }
        match (self, kind) {
            (Self::Hex, _) => "the number of digits is odd",
            (_, DecodeKind::Length) => "the number of digits and `=` is not a multiple of 4",
            (_, DecodeKind::Trailing) => "the last digit has bits of a byte that is missing",
            _ => "`=` is only at the end, once or twice",
        }
        .to_owned()
    }

    /// Decodes an argument. `what` is its name in messages.
    pub(crate) fn argument<'a>(self, what: &str, written: &'a OsStr) -> Result<Cow<'a, [u8]>> {
        let written = written.as_encoded_bytes();
        self.decode(written).with_context(|| format!("{what} `{}`", masking::masked(written)))
    }

    /// Formats bytes as printable text.
    pub(crate) fn shown(self, bytes: &[u8]) -> String {
        match self {
            Self::Text => Escaped(bytes).to_string(),
            Self::Hex => HEXLOWER.encode(bytes),
            Self::Base64 => BASE64.encode(bytes),
        }
    }

    pub(crate) fn encode(self, bytes: &[u8], line: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Text if memchr::memchr(b'\n', bytes).is_some() => {
                bail!(
                    "it contains a newline, which a line of text cannot show; use --encoding hex or base64"
                )
            }
            Self::Text => line.extend_from_slice(bytes),
            Self::Hex => line.extend_from_slice(HEXLOWER.encode(bytes).as_bytes()),
            Self::Base64 => line.extend_from_slice(BASE64.encode(bytes).as_bytes()),
        }
        Ok(())
    }
}

fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(byte)
}

/// Returns the first character, or the first byte if that is not UTF-8.
fn first_shown(bytes: &[u8]) -> String {
    let text = bytes.utf8_chunks().next().map(|chunk| chunk.valid()).unwrap_or_default();
    match text.chars().next() {
        Some(first) => first.to_string(),
        None => Escaped(bytes.get(..1).unwrap_or_default()).to_string(),
    }
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Written {
    /// Encoding of bytes; text has \xNN for those that are not printable, and for blanks in lines
    #[arg(long, value_enum, default_value_t)]
    encoding: Encoding,
}

impl Written {
    pub(crate) fn shown(self, bytes: &[u8]) -> String {
        self.encoding.shown(bytes)
    }

    /// Formats a row, a qualifier or a visibility for a line with names separated by blanks.
    pub(crate) fn word(self, bytes: &[u8]) -> String {
        blanks_escaped(&self.shown(bytes))
    }

    /// Formats the family of a column for such a line; it ends before the first `:`.
    pub(crate) fn family(self, bytes: &[u8]) -> String {
        self.word(bytes).replace(':', r"\x3a")
    }

    pub(crate) fn cell(self, row: &[u8], column: &Column) -> String {
        let (row, family) = (self.word(row), self.family(&column.family));
        let cell = format!("{row} {family}:{}", self.word(&column.qualifier));
        match self.word(&column.visibility).as_str() {
            "" => cell,
            visibility => format!("{cell} [{visibility}]"),
        }
    }

    pub(crate) fn row(self, written: &OsStr) -> Result<Bytes> {
        let row = self.named("row", written)?;
        ensure!(!row.is_empty(), misuse!("the row is empty; a row has at least one byte"));
        Ok(row)
    }

    /// Parses a key or a prefix, which may be empty. `what` is its name in messages.
    pub(crate) fn named(self, what: &str, written: &OsStr) -> Result<Bytes> {
        let written = written.as_encoded_bytes();
        self.bytes(written).with_context(|| format!("{what} `{}`", masking::masked(written)))
    }

    pub(crate) fn selector(self, written: &OsStr) -> Result<ColumnSelector> {
        ensure!(
            !written.is_empty(),
            misuse!("the column is empty; write FAMILY or FAMILY:QUALIFIER")
        );
        Ok(match self.parts(written)? {
            (family, Some(qualifier)) => ColumnSelector::qualifier(family, qualifier),
            (family, None) => ColumnSelector::family(family),
        })
    }

    pub(crate) fn column(self, written: &OsStr) -> Result<Column> {
        match self.parts(written)? {
            (family, Some(qualifier)) => Ok(Column::new(family, qualifier)),
            _ => bail!(misuse!(
                "column `{}`: a column has a family and a qualifier; write FAMILY:QUALIFIER",
                Escaped(written.as_encoded_bytes())
            )),
        }
    }

    /// Splits a column into family and qualifier. A `:` within the family is written `\x3a`.
    fn parts(self, written: &OsStr) -> Result<(Bytes, Option<Bytes>)> {
        let written = written.as_encoded_bytes();
        let mut parts = written
            .splitn(2, |byte| *byte == b':')
            .map(|part| self.bytes(part).with_context(|| format!("column `{}`", Escaped(written))));
        Ok((parts.next().transpose()?.unwrap_or_default(), parts.next().transpose()?))
    }

    /// Parses bytes that [`shown`](Self::shown) wrote. As text, all UTF-8 is accepted.
    pub(crate) fn bytes(self, written: &[u8]) -> Result<Bytes> {
        if self.encoding != Encoding::Text {
            return Ok(self.encoding.decode(written)?.into_owned().into());
        }
        // Escapes what `unescape` refuses, but no backslashes, which begin escapes already.
        // Its message would count the bytes of `ascii`, not of `written`.
        let ascii = Escaped(written).in_ascii().to_string().replace(r"\x5c", r"\");
        unescape(&ascii).ok().context(
            "a backslash begins a byte, written `\\xNN` with two hex digits; a backslash itself is `\\x5c`",
        )
    }
}

/// Escapes the blanks of a shown text, so it is one word of a line.
pub(crate) fn blanks_escaped(shown: &str) -> String {
    shown.replace(' ', r"\x20")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn written(encoding: Encoding) -> Written {
        Written { encoding }
    }

    const ALL: [Encoding; 3] = [Encoding::Text, Encoding::Hex, Encoding::Base64];

    #[test]
    fn parses_its_own_output() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        for written in ALL.map(written) {
            let shown = OsString::from(written.shown(&bytes));
            assert_eq!(written.row(&shown).unwrap(), bytes);
            let (word, family) = (written.word(&bytes), written.family(&bytes));
            assert!(!word.contains(' ') && !family.contains([' ', ':']));
            assert_eq!(written.row(word.as_ref()).unwrap(), bytes);
            assert_eq!(written.row(family.as_ref()).unwrap(), bytes);
        }
    }

    #[test]
    fn accepts_unescaped_text() {
        let text = written(Encoding::Text);
        assert_eq!(text.row("é\n".as_ref()).unwrap(), "é\n");
        assert_eq!(text.row(r"\xFFa\x5cb".as_ref()).unwrap(), &b"\xffa\\b"[..]);
        #[cfg(unix)]
        {
            let any: OsString = std::os::unix::ffi::OsStringExt::from_vec(vec![0xff, b'a']);
            assert_eq!(text.named("prefix", &any).unwrap(), &b"\xffa"[..]);
        }
        assert_eq!(text.named("prefix", "".as_ref()).unwrap(), "");
    }

    #[test]
    fn parses_columns() {
        let text = written(Encoding::Text);
        let selector = |column: &str| text.selector(column.as_ref()).unwrap();
        assert_eq!(selector("f"), ColumnSelector::family("f"));
        assert_eq!(selector("f:"), ColumnSelector::qualifier("f", ""));
        assert_eq!(selector(":q"), ColumnSelector::qualifier("", "q"));
        assert_eq!(selector(r"a\x3ab:c:d"), ColumnSelector::qualifier("a:b", "c:d"));
        let hex = written(Encoding::Hex).column("3a:ff".as_ref()).unwrap();
        assert_eq!(hex, Column::new(":", &b"\xff"[..]));
        let base64 = written(Encoding::Base64).column("Og==:/w==".as_ref()).unwrap();
        assert_eq!(base64, Column::new(":", &b"\xff"[..]));
    }

    #[test]
    fn reports_wrong_encodings() {
        for (line, wrong) in [
            (&b"a"[..], "the number of digits is odd"),
            (b"zz", "`z` is not a hex digit"),
            ("0é".as_bytes(), "`é` is not a hex digit"),
            (b"00\xff", "`\\xff` is not a hex digit"),
        ] {
            let error = Encoding::Hex.decode(line).unwrap_err().to_string();
            assert_eq!(error, format!("it is not hex: two of 0-9a-f for each byte ({wrong})"));
        }
        for (line, wrong) in [
            (&b"YQ"[..], "the number of digits and `=` is not a multiple of 4"),
            (b"YQ-=", "`-` is not a base64 digit"),
            (b"YR==", "the last digit has bits of a byte that is missing"),
            (b"Y=Q=", "`=` is only at the end, once or twice"),
            (b"Y===", "`=` is only at the end, once or twice"),
        ] {
            let error = Encoding::Base64.decode(line).unwrap_err().to_string();
            assert_eq!(error, format!("it is not base64 with its padding ({wrong})"));
        }
        let text = written(Encoding::Text).row(r"db://u:secret@a\q".as_ref());
        assert_eq!(
            format!("{:#}", text.unwrap_err()),
            r"row `***@a\x5cq`: a backslash begins a byte, written `\xNN` with two hex digits; a backslash itself is `\x5c`"
        );
    }
}
