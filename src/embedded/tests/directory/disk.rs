//! A disk that loses what was not synced.
//!
//! `strace` records the calls of a process to its file system. The disk repeats them up to some
//! call, and then shows files as a loss of power there could leave them: whatever was synced, and
//! of everything else some parts. The sectors of a file survive each on their own. Changes of
//! a directory survive in their order, up to some change. A failed sync makes nothing durable, and
//! what it should have written may never be written: the operating system does not try it again.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The calls that the disk repeats.
const CALLS: &str = "trace=openat,write,pwrite64,lseek,ftruncate,fsync,fdatasync,rename,renameat,\
                     renameat2,unlink,unlinkat,mkdir,rmdir,close";
/// Unsupported calls that change files. A process must not make them.
const UNSUPPORTED: &str = ",creat,writev,pwritev,pwritev2,truncate,fallocate,sync_file_range,link,\
                       linkat,mkdirat,copy_file_range,sendfile,dup,dup2,dup3";
/// A disk writes a sector completely or not at all.
const SECTOR: usize = 512;

/// Checks whether tests that need `strace` are skipped.
pub(super) fn is_skipped() -> bool {
    std::env::var_os("FLUO_WITHOUT_STRACE").is_some()
}

/// Returns the command that runs another one and records its calls. `inject` makes some of them
/// fail: see `man strace`.
pub(super) fn recorded(program: &Path, record: &Path, inject: Option<&str>) -> Command {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-xx", "-y", "-s", "16777216", "--signal=none", "-o"]);
    command.arg(record).args(["-e", &format!("{CALLS}{UNSUPPORTED}")]);
    if let Some(inject) = inject {
        command.args(["-e", &format!("inject={inject}")]);
    }
    command.arg(program);
    command
}

/// A call that has ended.
pub(super) struct Call {
    name: String,
    arguments: Vec<String>,
    /// The result, or the name of the error.
    result: Result<u64, String>,
}

impl Call {
    /// Reads the calls of a record in the order in which they ended.
    pub(super) fn all(record: &str) -> Vec<Self> {
        let mut begun = HashMap::new();
        let mut calls = Vec::new();
        for line in record.lines() {
            let (thread, rest) = line.split_once(' ').unwrap();
            let rest = rest.trim_start();
            if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
                begun.insert(thread, start.to_owned());
                continue;
            }
            let whole = match rest.strip_prefix("<... ") {
                Some(resumed) => {
                    let (_, end) = resumed.split_once(" resumed>").unwrap();
                    format!("{}{end}", begun.remove(thread).unwrap())
                }
                None => rest.to_owned(),
            };
            calls.extend(Self::read(&whole));
        }
        calls
    }

    fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.split_once('(')?;
        // Strings are in hex digits, so nothing in them looks like an end.
        let (arguments, result) = rest.rsplit_once(" = ")?;
        let arguments = arguments.trim_end().strip_suffix(')')?;
        let mut words = result.split(' ');
        let number = words.next()?.split('<').next()?;
        let result = match number.strip_prefix('-') {
            Some(_) => Err(words.next()?.to_owned()),
            None => Ok(number.parse().ok()?),
        };
        let arguments = arguments.split(", ").map(str::to_owned).collect();
        Some(Self { name: name.to_owned(), arguments, result })
    }

    pub(super) fn has_failed_to_sync(&self) -> bool {
        let is_sync = ["fsync", "fdatasync"].contains(&self.name.as_str());
        is_sync && self.result.as_ref().is_err_and(|error| error == "EIO")
    }

    /// Returns the text that the call writes to the standard output.
    pub(super) fn printed(&self) -> Option<String> {
        let is_output = self.name == "write" && self.descriptor(0) == 1 && self.result.is_ok();
        is_output.then(|| String::from_utf8(self.bytes(1)).unwrap())
    }

    /// Checks whether a call of this name has this end of a path as an argument.
    pub(super) fn is_of(&self, name: &str, end: &str) -> bool {
        let end: String = end.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        let is_end = |text: &String| text.trim_end_matches(['"', '>']).ends_with(&end);
        self.name == name && self.arguments.iter().any(is_end)
    }

    /// Checks whether the call is one that the storage engine makes at the end of each commit.
    pub(super) fn is_commit(&self) -> bool {
        self.name == "fdatasync"
    }

    fn number(&self, argument: usize) -> u64 {
        self.arguments[argument].parse().unwrap()
    }

    fn descriptor(&self, argument: usize) -> u64 {
        self.arguments[argument].split('<').next().unwrap().parse().unwrap()
    }

    /// Returns the bytes of a string, which are all in hex digits.
    fn bytes(&self, argument: usize) -> Vec<u8> {
        let digits = self.arguments[argument].trim_matches('"').split("\\x").skip(1);
        digits.map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect()
    }

    /// Returns a path; that of a relative one begins with the directory of the argument before it.
    fn path(&self, argument: usize) -> PathBuf {
        let path = PathBuf::from(String::from_utf8(self.bytes(argument)).unwrap());
        match argument.checked_sub(1).map(|before| self.arguments[before].split_once('<')) {
            Some(Some((_, directory))) => {
                let digits = directory.trim_end_matches('>').split("\\x").skip(1);
                let bytes = digits.map(|digits| u8::from_str_radix(digits, 16).unwrap());
                Path::new(&String::from_utf8(bytes.collect()).unwrap()).join(path)
            }
            _ => path,
        }
    }
}

#[derive(Clone, Default)]
struct Content {
    /// All bytes up to the last that was written; zeros follow.
    bytes: Vec<u8>,
    length: usize,
}

enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Length(usize),
}

impl Content {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Write { at, bytes } => {
                let end = at + bytes.len();
                self.bytes.resize(end.max(self.bytes.len()), 0);
                self.bytes[*at..end].copy_from_slice(bytes);
                self.length = self.length.max(end);
            }
            Change::Length(length) => {
                self.bytes.truncate(*length);
                self.length = *length;
            }
        }
    }

    /// Applies some of the changes. A sector that survives has all that was written to it before.
    fn apply_some(&mut self, changes: &[Change], dice: &mut fastrand::Rng) {
        let mut whole = self.clone();
        // Of 32 sectors of a write; or a single sector of many writes is lost.
        let survivors = dice.choice([&[0, 16, 32][..], &[31]]).unwrap();
        for change in changes {
            whole.apply(change);
            match change {
                Change::Length(_) if dice.bool() => self.apply(change),
                Change::Length(_) => {}
                Change::Write { at, bytes } => {
                    let survive = dice.choice(survivors).unwrap();
                    for sector in at / SECTOR..(at + bytes.len()).div_ceil(SECTOR) {
                        if dice.u8(0..32) < *survive {
                            let at = sector * SECTOR;
                            let end = whole.bytes.len().min(at + SECTOR);
                            self.apply(&Change::Write { at, bytes: whole.bytes[at..end].to_vec() });
                        }
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Node {
    File(usize),
    Directory(usize),
}

type Names = BTreeMap<String, Node>;

enum NameChange {
    Add(String, Node),
    Remove(String),
    Rename(String, String),
}

impl NameChange {
    fn apply(&self, names: &mut Names) {
        match self {
            Self::Add(name, node) => drop(names.insert(name.clone(), *node)),
            Self::Remove(name) => drop(names.remove(name)),
            Self::Rename(from, to) => {
                if let Some(node) = names.remove(from) {
                    names.insert(to.clone(), node);
                }
            }
        }
    }
}

/// A file or a directory: as the process sees it, as it is after a loss of power at least, and the
/// changes between the two.
struct Synced<T, C> {
    now: T,
    durable: T,
    changes: Vec<C>,
}

impl<T: Default, C> Default for Synced<T, C> {
    fn default() -> Self {
        Self { now: T::default(), durable: T::default(), changes: Vec::new() }
    }
}

struct Open {
    node: Node,
    position: usize,
    appends: bool,
}

pub(super) struct Disk {
    root: PathBuf,
    files: Vec<Synced<Content, Change>>,
    directories: Vec<Synced<Names, NameChange>>,
    open: HashMap<u64, Open>,
}

impl Disk {
    /// Creates a disk with an empty, durable directory.
    pub(super) fn new(root: &Path) -> Self {
        let directories = vec![Synced::default()];
        Self { root: root.to_owned(), files: Vec::new(), directories, open: HashMap::new() }
    }

    /// Repeats a call of the recorded process.
    pub(super) fn repeat(&mut self, call: &Call, dice: &mut fastrand::Rng) {
        if call.has_failed_to_sync() {
            self.fail_sync(call.descriptor(0), dice);
        }
        let Ok(result) = call.result else { return };
        match call.name.as_str() {
            "openat" => self.open(call, result),
            "close" => drop(self.open.remove(&call.descriptor(0))),
            "lseek" => {
                if let Some(open) = self.open.get_mut(&call.descriptor(0)) {
                    open.position = usize::try_from(result).unwrap();
                }
            }
            "write" => {
                let written = usize::try_from(result).unwrap();
                let Some(open) = self.open.get_mut(&call.descriptor(0)) else { return };
                let Node::File(file) = open.node else { return };
                let at = if open.appends { self.files[file].now.length } else { open.position };
                open.position = at + written;
                self.change(file, Change::Write { at, bytes: call.bytes(1)[..written].to_vec() });
            }
            "pwrite64" => {
                let at = usize::try_from(call.number(3)).unwrap();
                let written = usize::try_from(result).unwrap();
                if let Some(file) = self.file(call.descriptor(0)) {
                    let bytes = call.bytes(1)[..written].to_vec();
                    self.change(file, Change::Write { at, bytes });
                }
            }
            "ftruncate" => {
                let length = usize::try_from(call.number(1)).unwrap();
                if let Some(file) = self.file(call.descriptor(0)) {
                    self.change(file, Change::Length(length));
                }
            }
            "fsync" | "fdatasync" => self.sync(call.descriptor(0)),
            "mkdir" => {
                let node = Node::Directory(self.directories.len());
                if let Some((directory, name)) = self.place(&call.path(0)) {
                    self.directories.push(Synced::default());
                    self.rename(directory, NameChange::Add(name, node));
                }
            }
            "unlink" | "rmdir" => self.remove(&call.path(0)),
            "unlinkat" => self.remove(&call.path(1)),
            "rename" => self.move_to(&call.path(0), &call.path(1)),
            "renameat" | "renameat2" => self.move_to(&call.path(1), &call.path(3)),
            unknown => panic!("unsupported call: {unknown}"),
        }
    }

    fn open(&mut self, call: &Call, descriptor: u64) {
        let path = call.path(1);
        let flags: Vec<&str> = call.arguments[2].split('|').collect();
        let node = match (self.node(&path), self.place(&path)) {
            (Some(node), _) => node,
            (None, Some((directory, name))) if flags.contains(&"O_CREAT") => {
                let node = Node::File(self.files.len());
                self.files.push(Synced::default());
                self.rename(directory, NameChange::Add(name, node));
                node
            }
            // A file outside of the directory.
            _ => return,
        };
        if let (Node::File(file), true) = (node, flags.contains(&"O_TRUNC")) {
            self.change(file, Change::Length(0));
        }
        let appends = flags.contains(&"O_APPEND");
        self.open.insert(descriptor, Open { node, position: 0, appends });
    }

    fn file(&self, descriptor: u64) -> Option<usize> {
        match self.open.get(&descriptor)?.node {
            Node::File(file) => Some(file),
            Node::Directory(_) => None,
        }
    }

    fn change(&mut self, file: usize, change: Change) {
        let file = &mut self.files[file];
        file.now.apply(&change);
        file.changes.push(change);
    }

    fn rename(&mut self, directory: usize, change: NameChange) {
        let directory = &mut self.directories[directory];
        change.apply(&mut directory.now);
        directory.changes.push(change);
    }

    fn sync(&mut self, descriptor: u64) {
        match self.open.get(&descriptor).map(|open| open.node) {
            Some(Node::File(file)) => {
                let file = &mut self.files[file];
                file.changes.drain(..).for_each(|change| file.durable.apply(&change));
            }
            Some(Node::Directory(directory)) => {
                let directory = &mut self.directories[directory];
                directory.changes.drain(..).for_each(|change| change.apply(&mut directory.durable));
            }
            None => {}
        }
    }

    fn fail_sync(&mut self, descriptor: u64, dice: &mut fastrand::Rng) {
        match self.open.get(&descriptor).map(|open| open.node) {
            Some(Node::File(file)) => {
                let file = &mut self.files[file];
                let changes = std::mem::take(&mut file.changes);
                file.durable.apply_some(&changes, dice);
            }
            // A change that is lost here is visible until the loss of power, so it stays in `now`.
            Some(Node::Directory(directory)) => {
                let directory = &mut self.directories[directory];
                let survive = dice.usize(0..=directory.changes.len());
                let mut changes = directory.changes.drain(..).take(survive);
                changes.by_ref().for_each(|change| change.apply(&mut directory.durable));
            }
            None => {}
        }
    }

    fn node(&self, path: &Path) -> Option<Node> {
        let names = path.strip_prefix(&self.root).ok()?.iter();
        let mut node = Node::Directory(0);
        for name in names {
            let Node::Directory(directory) = node else { return None };
            node = *self.directories[directory].now.get(name.to_str()?)?;
        }
        Some(node)
    }

    /// Returns the directory of a path, and its name there.
    fn place(&self, path: &Path) -> Option<(usize, String)> {
        match self.node(path.parent()?)? {
            Node::Directory(directory) => Some((directory, path.file_name()?.to_str()?.to_owned())),
            Node::File(_) => None,
        }
    }

    fn remove(&mut self, path: &Path) {
        if let Some((directory, name)) = self.place(path) {
            self.rename(directory, NameChange::Remove(name));
        }
    }

    fn move_to(&mut self, from: &Path, to: &Path) {
        if let (Some((source, from)), Some((target, to))) = (self.place(from), self.place(to)) {
            assert_eq!(source, target, "unsupported: a move to another directory");
            self.rename(source, NameChange::Rename(from, to));
        }
    }

    /// Writes the files as a loss of power now could leave them.
    pub(super) fn lose_power(&self, into: &Path, dice: &mut fastrand::Rng) {
        self.write_directory(0, into, dice);
    }

    fn write_directory(&self, directory: usize, into: &Path, dice: &mut fastrand::Rng) {
        std::fs::create_dir_all(into).unwrap();
        let Synced { durable, changes, .. } = &self.directories[directory];
        let mut names = durable.clone();
        let survive = dice.usize(0..=changes.len());
        changes[..survive].iter().for_each(|change| change.apply(&mut names));
        for (name, node) in names {
            let path = into.join(name);
            match node {
                Node::Directory(directory) => self.write_directory(directory, &path, dice),
                Node::File(file) => {
                    let Synced { durable, changes, .. } = &self.files[file];
                    let mut content = durable.clone();
                    content.apply_some(changes, dice);
                    std::fs::write(&path, &content.bytes).unwrap();
                    let file = std::fs::File::options().write(true).open(&path).unwrap();
                    file.set_len(u64::try_from(content.length).unwrap()).unwrap();
                }
            }
        }
    }
}
