//! Handles.

use std::fmt;
use std::hash::{Hash, Hasher};

const SHOWN_CHARS: usize = 8;

/// The first characters: enough to tell a handle from others, and not enough to use it.
fn shown(handle: &str) -> String {
    let start: String = handle.chars().take(SHOWN_CHARS).collect();
    match start.len() < handle.len() {
        true => start + "..",
        false => start,
    }
}

macro_rules! handles {
    ($($(#[$documentation:meta])* $name:ident;)*) => {
        $(
            $(#[$documentation])*
            ///
            /// Whoever has it can use it, so only its first characters are shown, in errors too.
            ///
            /// One that was opened here knows its table, and errors name the table. It equals the same handle from
            /// elsewhere, of which they name those characters.
            #[derive(Clone)]
            pub struct $name {
                handle: String,
                table: Option<String>,
            }

            impl $name {
                /// The handle as the proxy gave it.
                pub fn as_str(&self) -> &str {
                    &self.handle
                }

                /// The handle of what was opened on a table.
                pub(super) fn of_table(handle: String, table: &str) -> Self {
                    Self { handle, table: Some(table.to_owned()) }
                }

                /// What an error is about: the table, or as much of the handle as may be shown.
                pub(super) fn subject(&self) -> String {
                    self.table.clone().unwrap_or_else(|| shown(&self.handle))
                }

                pub(super) fn to_wire(&self) -> String {
                    self.handle.clone()
                }
            }

            /// A handle that came from elsewhere. Nothing is checked.
            impl From<String> for $name {
                fn from(handle: String) -> Self {
                    Self { handle, table: None }
                }
            }

            impl PartialEq for $name {
                fn eq(&self, other: &Self) -> bool {
                    self.handle == other.handle
                }
            }

            impl Eq for $name {}

            impl Hash for $name {
                fn hash<H: Hasher>(&self, state: &mut H) {
                    self.handle.hash(state);
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&shown(&self.handle))
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_tuple(stringify!($name)).field(&shown(&self.handle)).finish()
                }
            }
        )*
    };
}

handles! {
    /// A scanner or batch scanner that is open on the proxy.
    ScannerHandle;
    /// A writer that is open on the proxy.
    WriterHandle;
    /// A conditional writer that is open on the proxy.
    ConditionalWriterHandle;
}
