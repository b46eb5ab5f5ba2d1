//! Iterators that run on the servers.

use std::collections::BTreeMap;

/// An iterator on the servers: for a scan, a condition, a compaction or a table.
///
/// # Examples
///
/// ```
/// use accumulo_proxy::IteratorSetting;
///
/// let class = "org.apache.accumulo.core.iterators.user.GrepIterator";
/// let grep = IteratorSetting::new(50, "grep", class).option("term", "rust");
/// assert_eq!(grep.options["term"], "rust");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IteratorSetting {
    /// Position in the stack: lower priorities are closer to the data. At least 1.
    pub priority: i32,
    /// Name, unique in its stack.
    pub name: String,
    /// The full name of the class.
    pub class: String,
    /// Options of the class.
    pub options: BTreeMap<String, String>,
}

/// The operations in which an iterator of a table runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IteratorScope {
    /// Minor compactions, which write memory to a file.
    MinorCompaction,
    /// Major compactions, which merge files.
    MajorCompaction,
    /// Scans.
    Scan,
}

impl IteratorSetting {
    /// Creates an iterator without options.
    pub fn new(priority: i32, name: impl Into<String>, class: impl Into<String>) -> Self {
        Self { priority, name: name.into(), class: class.into(), options: BTreeMap::new() }
    }

    /// Adds an option.
    #[must_use]
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }
}

impl IteratorScope {
    /// All scopes.
    pub const ALL: [Self; 3] = [Self::MinorCompaction, Self::MajorCompaction, Self::Scan];
}

/// A class on the servers, and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The full name of the class.
    pub class: String,
    /// Options of the class.
    pub options: BTreeMap<String, String>,
}

impl Plugin {
    /// Creates a plugin without options.
    pub fn new(class: impl Into<String>) -> Self {
        Self { class: class.into(), options: BTreeMap::new() }
    }
}
