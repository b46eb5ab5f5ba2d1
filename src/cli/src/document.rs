//! Files that are read and written whole: specs and plans.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Result, bail};

/// The largest file that is read: far above any spec or plan, and a bound on memory.
const MAX_BYTES: u64 = 1 << 28;

/// All bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut start = File::open(path)?.take(MAX_BYTES + 1);
    if u64::try_from(start.read_to_end(&mut bytes)?)? > MAX_BYTES {
        bail!("it is longer than {MAX_BYTES} bytes");
    }
    Ok(bytes)
}

/// Writes a file so that it is never half there: beside it, then renamed. What is there and is no file, such as a
/// pipe, is written to as it is.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => bail!("it is a directory"),
        // Where a symbolic link leads, so that the link stays one.
        Ok(found) if found.is_file() => Ok(replace(&fs::canonicalize(path)?, bytes)?),
        Ok(_) => Ok(File::options().write(true).open(path)?.write_all(bytes)?),
        Err(_) => Ok(replace(path, bytes)?),
    }
}

/// Refuses to write a file that is also read, by whatever path: what was read would be gone. `what` says in a message
/// what the file is that is read, such as `the spec`.
pub(crate) fn check_is_another(out: &Path, read: &Path, what: &str) -> Result<()> {
    let (Ok(written), Ok(found)) = (fs::canonicalize(out), fs::canonicalize(read)) else {
        return Ok(());
    };
    // A terminal or a pipe loses nothing.
    if written == found && written.is_file() {
        bail!(
            "{} is {what} itself, which would be lost: give another file",
            out.display()
        );
    }
    Ok(())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // Made as any other file is, so that whoever may read the directory's files may read this one.
    let mut file = tempfile::Builder::new()
        .make_in(directory, |beside| File::create_new(beside))
        .map_err(plain)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// The error itself where it is wrapped in one that names the file beside, of which nobody knows.
fn plain(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|wrapped| wrapped.source());
    match inner.and_then(|inner| inner.downcast_ref::<io::Error>()) {
        Some(inner) => inner
            .raw_os_error()
            .map_or_else(|| inner.kind().into(), io::Error::from_raw_os_error),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("plan.json");
        for text in [b"long, long ago".as_slice(), b"short"] {
            write(&path, text).unwrap();
            assert_eq!(read(&path).unwrap(), text);
        }
        assert_eq!(names(directory.path()), ["plan.json"]);
    }

    #[test]
    fn what_cannot_be_written_is_told_without_the_file_beside() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no/plan.json");
        let message = write(&missing, b"x").unwrap_err().to_string();
        assert!(
            message.contains("(os error") && !message.contains("at path"),
            "{message}"
        );
        let message = write(directory.path(), b"x").unwrap_err().to_string();
        assert_eq!(message, "it is a directory");
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn what_is_read_is_not_written() {
        let directory = tempfile::tempdir().unwrap();
        let spec = directory.path().join("sp.toml");
        let other = directory.path().join("plan.json");
        let around = directory.path().join(".").join("sp.toml");
        check_is_another(&spec, &spec, "the spec").unwrap();
        fs::write(&spec, "x").unwrap();
        check_is_another(&other, &spec, "the spec").unwrap();
        let message = |out: &Path| check_is_another(out, &spec, "the spec").unwrap_err();
        for out in [&spec, &around] {
            assert_eq!(
                message(out).to_string(),
                format!(
                    "{} is the spec itself, which would be lost: give another file",
                    out.display()
                )
            );
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&spec, &other).unwrap();
            let message = message(&other).to_string();
            assert!(
                message.contains("plan.json is the spec itself"),
                "{message}"
            );
            check_is_another(Path::new("/dev/null"), Path::new("/dev/null"), "the spec").unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("f"), directory.path().join("l"));
        write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_file_is_refused() {
        let message = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(message, "it is longer than 268435456 bytes");
    }
}
