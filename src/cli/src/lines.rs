//! Line-by-line input and output, in constant memory.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Stdin, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;

use crate::output::CANNOT_WRITE;
use crate::text::counted;

/// Bytes of one read. Larger reads are not faster, even from the page cache.
const READ_BYTES: usize = 1 << 18;
/// The maximum length of a line: enough for the largest mutation of a directory, 16 MiB, in hex
/// digits, and a bound on memory.
const MAX_LINE_BYTES: usize = 32 << 20;
const WRITE_BYTES: usize = 1 << 18;
const CANNOT_READ: &str = "cannot read the rows";
/// The first bytes of a gzip file (RFC 1952).
const GZIP: &[u8] = &[0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Opens a file with lines of `what`, or standard input. Opening a named pipe waits for its
/// writer.
pub(crate) fn open(path: &Path, what: &str) -> Result<Box<dyn Read + Send>> {
    if is_standard_input(path) {
        return Ok(Box::new(standard_input()?));
    }
    let name = path.display();
    let file = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory")),
        false => Ok(file),
    });
    Ok(Box::new(file.with_context(|| format!("cannot read the {what} of {name}"))?))
}

/// Returns the number of bytes of a file; `None` if they are not known before it is read.
pub(crate) fn size_of(path: &Path) -> Option<u64> {
    let file = fs::metadata(path).ok().filter(Metadata::is_file)?;
    (!is_standard_input(path)).then_some(file.len())
}

/// Checks whether an argument names standard input: `-`, or its path.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
}

/// Returns standard input, which only one argument of a command can name.
pub(crate) fn standard_input() -> Result<Stdin> {
    static IS_TAKEN: AtomicBool = AtomicBool::new(false);
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        bail!(misuse!("standard input is the input of two arguments; name a file for one of them"));
    }
    Ok(io::stdin())
}

/// Calls `each` with the number (from 1) and the bytes of every line, without its newline. Adds the
/// number to its error.
///
/// Decompresses gzip, and removes a byte order mark. If the first line ends in CRLF, removes the
/// carriage returns at the ends of lines. Prints a note about each of them, and about UTF-16.
pub(crate) fn for_each(
    input: impl Read,
    mut each: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut input = BufReader::with_capacity(READ_BYTES, decoded(input)?);
    let mut has_crlf = false;
    // The start of a line that ends in a later read.
    let mut begun = Vec::new();
    let mut number = 1;
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            bytes => bytes.context(CANNOT_READ)?,
        };
        if bytes.is_empty() {
            break;
        }
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            let mut line = bytes.get(start..end).unwrap_or_default();
            if !begun.is_empty() {
                begun.extend_from_slice(line);
                line = &begun;
            }
            if number == 1 && line.ends_with(b"\r") {
                say!("note: the lines end in CRLF; the carriage returns are removed");
                has_crlf = true;
            }
            in_line(number, each(number, without_return(line, has_crlf)))?;
            begun.clear();
            number += 1;
            start = end + 1;
        }
        begun.extend_from_slice(bytes.get(start..).unwrap_or_default());
        if begun.len() >= MAX_LINE_BYTES {
            bail!(
                "line {number}: it is longer than {}, which no row is; rows are separated by newlines",
                counted(MAX_LINE_BYTES, "byte")
            );
        }
        let read = bytes.len();
        input.consume(read);
    }
    match begun.as_slice() {
        [] => Ok(()),
        rest => in_line(number, each(number, without_return(rest, has_crlf))),
    }
}

/// The decompressed bytes of gzip. Words its errors plainly.
struct Decompressed<R>(MultiGzDecoder<R>);

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            kind @ ErrorKind::UnexpectedEof => {
                io::Error::new(kind, "the compressed data ends too early")
            }
            kind @ (ErrorKind::InvalidData | ErrorKind::InvalidInput) => {
                io::Error::new(kind, "the compressed data is damaged")
            }
            _ => error,
        })
    }
}

fn without_return(line: &[u8], has_crlf: bool) -> &[u8] {
    line.strip_suffix(b"\r").filter(|_| has_crlf).unwrap_or(line)
}

/// Decompresses gzip, and removes a byte order mark.
fn decoded<'a>(input: impl Read + 'a) -> Result<Box<dyn Read + 'a>> {
    let (first, input) = first_bytes(input, GZIP)?;
    let is_gzip = first == GZIP;
    let mut input: Box<dyn Read> = Box::new(Cursor::new(first).chain(input));
    if is_gzip {
        say!("note: the input is compressed by gzip; its content is read");
        input = Box::new(Decompressed(MultiGzDecoder::new(input)));
    }
    let (first, input) = first_bytes(input, BYTE_ORDER_MARK)?;
    if first == BYTE_ORDER_MARK {
        say!("note: the input begins with a byte order mark, which is removed");
        return Ok(input);
    }
    let mut input: Box<dyn Read> = Box::new(Cursor::new(first).chain(input));
    for mark in UTF_16_MARKS {
        let (first, rest) = first_bytes(input, mark)?;
        if first == mark {
            say!("note: the input looks like UTF-16, and its bytes are kept; convert it to UTF-8");
        }
        input = Box::new(Cursor::new(first).chain(rest));
    }
    Ok(input)
}

/// Reads bytes while they are those of `expected`, and the first other byte. Reads no more, because
/// a pipe may have no more yet.
fn first_bytes<R: Read>(mut input: R, expected: &[u8]) -> Result<(Vec<u8>, R)> {
    let mut first = Vec::new();
    while first.len() < expected.len() && expected.starts_with(&first) {
        let more = (&mut input).take(1).read_to_end(&mut first).context(CANNOT_READ)?;
        if more == 0 {
            break;
        }
    }
    Ok((first, input))
}

/// Writes for every line the bytes that `transform` appends to the buffer, and a newline. If a line
/// fails, the lines before it are still written.
pub(crate) fn transform(
    input: impl Read,
    mut output: impl Write,
    mut transform: impl FnMut(&[u8], &mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let mut buffer = Vec::with_capacity(2 * WRITE_BYTES);
    let result = for_each(input, |_, line| {
        let start = buffer.len();
        if let Err(error) = transform(line, &mut buffer) {
            buffer.truncate(start);
            return Err(error);
        }
        buffer.push(b'\n');
        if buffer.len() >= WRITE_BYTES {
            output.write_all(&buffer).context(CANNOT_WRITE)?;
            buffer.clear();
        }
        Ok(())
    });
    output.write_all(&buffer).context(CANNOT_WRITE)?;
    output.flush().context(CANNOT_WRITE)?;
    result
}

/// Adds the line number to an error, except to I/O errors, which belong to the output.
fn in_line(number: u64, result: Result<()>) -> Result<()> {
    match result {
        Err(error) if !error.is::<io::Error>() => Err(error.context(format!("line {number}"))),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// A reader that returns a few bytes at a time, as pipes do.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn lines_of(input: &[u8], at_once: usize) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        for_each(Trickle(input, at_once), |number, line| {
            lines.push(line.to_vec());
            assert_eq!(number, lines.len() as u64);
            Ok(())
        })
        .unwrap();
        lines
    }

    #[test]
    fn splits_lines_independently_of_read_sizes() {
        let long = vec![b'x'; 3 * READ_BYTES];
        let input = [b"a\n\nb\r\n\0\xff\n".as_slice(), &long, b"\nlast"].concat();
        let expected: Vec<Vec<u8>> =
            vec![b"a".into(), b"".into(), b"b\r".into(), b"\0\xff".into(), long, b"last".into()];
        for at_once in [1, 7, READ_BYTES, usize::MAX] {
            assert_eq!(lines_of(&input, at_once), expected);
        }
        assert_eq!(lines_of(b"", 1), Vec::<Vec<u8>>::new());
        assert_eq!(lines_of(b"\n", 1), vec![b"".to_vec()]);
    }

    #[test]
    fn decodes_gzip_and_removes_a_mark_and_the_returns_of_crlf() {
        let gzip = |text: &[u8]| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(text).unwrap();
            packed.finish().unwrap()
        };
        let expected: Vec<Vec<u8>> = vec![b"a".into(), b"".into(), b"b\r".into(), b"c".into()];
        let text = b"\xef\xbb\xbfa\r\n\r\nb\r\r\nc".as_slice();
        let members = [gzip(b"a\n\nb\r"), gzip(b"\nc\n")].concat();
        for input in [text, b"a\r\n\nb\r\r\nc\r", &gzip(text), &members] {
            for at_once in [1, 2, usize::MAX] {
                assert_eq!(lines_of(input, at_once), expected);
            }
        }
        let truncated = members[..members.len() - 1].to_vec();
        let mut damaged = members.clone();
        *damaged.last_mut().unwrap() ^= 1;
        for (input, cause) in [
            (truncated, "ends too early"),
            (damaged, "is damaged"),
            (GZIP.to_vec(), "ends too early"),
        ] {
            let error = for_each(&*input, |_, _| Ok(())).unwrap_err();
            let expected = format!("cannot read the rows: the compressed data {cause}");
            assert_eq!(format!("{error:#}"), expected);
        }
    }

    #[test]
    fn keeps_all_other_bytes() {
        for input in [
            b"a\nb\r".as_slice(),
            b"a\r",
            b"\r\r",
            b"\x1f",
            b"\xef\xbb",
            b"\xef\xbb\xbe",
            b"\xff\xfea\0",
            b"\xfe\xff\0a",
            b"\xff",
            b"a\xef\xbb\xbf",
            b"\x1f\x1f\x8b",
        ] {
            let lines: Vec<_> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            assert_eq!(lines_of(input, 1), lines);
        }
    }

    /// An endless reader of zeros that counts the bytes it returned.
    struct Endless<'a>(&'a mut usize);

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(0);
            *self.0 += buffer.len();
            Ok(buffer.len())
        }
    }

    #[test]
    fn refuses_an_endless_line_within_the_bound() {
        let mut taken = 0;
        let input = b"a\n".chain(Endless(&mut taken));
        let error = for_each(input, |_, _| Ok(())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: it is longer than 33,554,432 bytes, which no row is; rows are separated by newlines"
        );
        assert!(taken <= MAX_LINE_BYTES, "{taken} bytes were read");
    }

    #[test]
    fn reports_the_line_of_an_error_and_writes_the_lines_before() {
        let mut output = Vec::new();
        let error = transform(Trickle(b"a\nb\nc\nd", 3), &mut output, |line, buffer| {
            buffer.extend_from_slice(line);
            if line == b"c" { bail!("no c") } else { Ok(()) }
        });
        assert_eq!(format!("{:#}", error.unwrap_err()), "line 3: no c");
        assert_eq!(output, b"a\nb\n");
    }
}
