//! Specs, plans and backups: files that are read and written whole.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use tempfile::NamedTempFile;

use crate::text::counted;
use crate::{exit, lines};

/// The maximum size of a file. It is far above any spec, plan or backup, and bounds memory.
const MAX_BYTES: u64 = 1 << 28;

pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let input: Box<dyn Read> = match lines::is_standard_input(path) {
        true => Box::new(lines::standard_input()?),
        false => Box::new(File::open(path)?),
    };
    input.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    check_size(&bytes)?;
    Ok(bytes)
}

fn check_size(bytes: &[u8]) -> Result<()> {
    ensure!(
        u64::try_from(bytes.len())? <= MAX_BYTES,
        "it is longer than {}",
        counted(MAX_BYTES, "byte")
    );
    Ok(())
}

/// Creates a file completely, or not at all. Only its owner can read it. Fails if the path exists.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<()> {
    check_size(bytes)?;
    let file = written(path, bytes, |directory| tempfile::Builder::new().tempfile_in(directory))?;
    file.persist_noclobber(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// Refuses to overwrite a file that is also read, even by another path. `what` names the file that
/// is read in a message, such as `the spec`.
pub(crate) fn check_is_another(out: &Path, read: &Path, what: &str) -> Result<()> {
    if out.is_file() && is_one_file(out, read) {
        bail!("{} is {what} itself, which would be lost: give another file", out.display());
    }
    Ok(())
}

/// Checks whether two paths name one file, which may not exist yet. Terminals, pipes and devices
/// are no files: writing to them overwrites nothing.
pub(crate) fn is_one_file(one: &Path, other: &Path) -> bool {
    let is_file = !one.exists() || one.is_file();
    let place = |path: &Path| {
        let in_directory =
            || Some(fs::canonicalize(directory_of(path)).ok()?.join(path.file_name()?));
        fs::canonicalize(path).ok().or_else(in_directory)
    };
    is_file && place(one).is_some_and(|found| place(other) == Some(found))
}

fn directory_of(path: &Path) -> PathBuf {
    Path::new(".").join(path.parent().unwrap_or(path))
}

/// Checks whether there is a file with something to lose. Writing to a terminal or a pipe replaces
/// nothing.
pub(crate) fn has_content(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0)
}

/// The kind of a file that a command writes, such as a plan. It replaces no file of another kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The name in messages.
    pub(crate) name: &'static str,
    /// Fails if a file is not of the kind, with the reason.
    pub(crate) check_content: fn(&Path) -> Result<()>,
}

impl Kind {
    /// Refuses a path that [`write`](Self::write) refuses, before the work whose result it is for.
    pub(crate) fn check(self, out: &Path) -> Result<()> {
        ensure!(out != Path::new("-"), "`-` is not a file; name one");
        let is_of_directory = out.as_os_str().as_encoded_bytes().ends_with(b"/");
        ensure!(!is_of_directory && !out.is_dir(), "it is a directory; name a file");
        let directory = directory_of(out);
        ensure!(fs::metadata(&directory)?.is_dir(), "it is in a file; name a directory before it");
        ensure!(
            out.exists() || !out.is_symlink(),
            "it is a link to a file that does not exist; name another file"
        );
        if has_content(out) {
            (self.check_content)(out).map_err(|error| {
                let reason = exit::sentence(&error);
                let refusal = format!("the file exists and is not a {}: {reason}", self.name);
                exit::advised(error.context(refusal), "name another file")
            })?;
        }
        Ok(())
    }

    /// Writes a file completely, or leaves it unchanged. Writes to a pipe or a device directly.
    pub(crate) fn write(self, path: &Path, bytes: &[u8]) -> Result<()> {
        let is_device = path.exists() && !path.is_file() && !path.is_dir();
        if is_device {
            return Ok(File::options().write(true).open(path)?.write_all(bytes)?);
        }
        // Follow a symbolic link, so it stays a link.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // With the default permissions, so the users of the directory can read the file.
        let make = |directory: &Path| {
            tempfile::Builder::new().make_in(directory, |file| File::create_new(file))
        };
        let file = written(path, bytes, make)?;
        // Another program may have written to the path during the work.
        self.check(path)?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// Writes a temporary file beside a path. Its errors do not name it.
fn written(
    path: &Path,
    bytes: &[u8],
    make: impl Fn(&Path) -> io::Result<NamedTempFile>,
) -> io::Result<NamedTempFile> {
    let directory = directory_of(path);
    // The error about a missing directory does not name the temporary file.
    fs::metadata(&directory)?;
    let mut file = make(&directory)?;
    file.as_file_mut().write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Kind = Kind {
        name: "plan",
        check_content: |path| {
            ensure!(read(path)? == b"plan", "it has no steps");
            Ok(())
        },
    };
    const ANY: Kind = Kind { name: "file", check_content: |_| Ok(()) };

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_a_file_and_leaves_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("plan.json");
        for text in [b"long, long ago".as_slice(), b"short"] {
            ANY.write(&path, text).unwrap();
            assert_eq!(read(&path).unwrap(), text);
        }
        assert_eq!(names(directory.path()), ["plan.json"]);
    }

    #[test]
    fn errors_do_not_name_the_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no/plan.json");
        let message = ANY.write(&missing, b"x").unwrap_err().to_string();
        assert!(message.contains("(os error") && !message.contains("at path"), "{message}");
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn refuses_before_the_work_what_it_cannot_write() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("f"), "").unwrap();
        for (name, expected) in [
            ("", "it is a directory; name a file"),
            ("new/", "it is a directory; name a file"),
            ("f/plan.json", "it is in a file; name a directory before it"),
            ("no/plan.json", "No such file or directory (os error 2)"),
        ] {
            let path = directory.path().join(name);
            assert_eq!(ANY.check(&path).unwrap_err().to_string(), expected, "{name}");
            ANY.write(&path, b"x").unwrap_err();
            assert_eq!(names(directory.path()), ["f"]);
        }
    }

    #[test]
    fn creates_no_file_that_it_cannot_read() {
        let directory = tempfile::tempdir().unwrap();
        let bytes = vec![0; usize::try_from(MAX_BYTES).unwrap() + 1];
        let message = create(&directory.path().join("f"), &bytes).unwrap_err().to_string();
        assert_eq!(message, "it is longer than 268,435,456 bytes");
        assert!(names(directory.path()).is_empty());
    }

    #[test]
    fn refuses_to_overwrite_the_input() {
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
            assert!(message.contains("plan.json is the spec itself"), "{message}");
            check_is_another(Path::new("/dev/null"), Path::new("/dev/null"), "the spec").unwrap();
        }
    }

    #[test]
    fn compares_files_by_their_places() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str| directory.path().join(name);
        assert!(is_one_file(&file("f"), &file("./f")));
        assert!(!is_one_file(&file("f"), &file("g")));
        assert!(!is_one_file(&file("no/f"), &file("no/f")), "neither can be written");
        fs::write(file("f"), "x").unwrap();
        assert!(is_one_file(&file("f"), &file("./f")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("f", file("l")).unwrap();
            assert!(is_one_file(&file("f"), &file("l")));
            assert!(!is_one_file(Path::new("/dev/null"), Path::new("/dev/null")));
        }
    }

    #[test]
    fn refuses_to_replace_a_file_of_another_kind() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("plan.json");
        let refused = "the file exists and is not a plan: it has no steps; name another file";
        let refused = || Err(refused.to_owned());
        for (content, expected) in [
            (None, Ok(())),
            (Some(""), Ok(())),
            (Some("plan"), Ok(())),
            (Some("letter"), refused()),
        ] {
            content.into_iter().for_each(|content| fs::write(&path, content).unwrap());
            let said = |checked: Result<()>| checked.map_err(|error| error.to_string());
            assert_eq!(said(PLAN.check(&path)), expected);
            // The content can be new since the check.
            assert_eq!(said(PLAN.write(&path, b"plan")), expected);
            assert_eq!(
                read(&path).unwrap(),
                content.filter(|_| expected.is_err()).unwrap_or("plan").as_bytes()
            );
            assert_eq!(names(directory.path()), ["plan.json"]);
        }
        let found = PLAN.check(Path::new("-")).unwrap_err().to_string();
        assert_eq!(found, "`-` is not a file; name one");
        #[cfg(unix)]
        PLAN.check(Path::new("/dev/null")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn keeps_links_and_devices() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("f"), directory.path().join("l"));
        ANY.write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        ANY.write(&link, b"new").unwrap();
        assert_eq!(read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::remove_file(&file).unwrap();
        for refused in [ANY.check(&link), ANY.write(&link, b"new")] {
            assert_eq!(
                refused.unwrap_err().to_string(),
                "it is a link to a file that does not exist; name another file"
            );
        }
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && !file.exists());
        ANY.write(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn refuses_an_endless_file() {
        let message = read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(message, "it is longer than 268,435,456 bytes");
    }
}
