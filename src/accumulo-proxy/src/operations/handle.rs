//! Handles of scanners and writers that are open on the proxy.

use std::fmt;

use super::methods::Named;
use crate::convert::{FromWire, ToWire};

const SHOWN_CHARS: usize = 8;

/// Returns the first characters, which are enough to distinguish a handle from others but not
/// enough to use it.
fn shown(handle: &str) -> String {
    let start: String = handle.chars().take(SHOWN_CHARS).collect();
    if start.len() < handle.len() { start + ".." } else { start }
}

macro_rules! handles {
    ($($(#[$documentation:meta])* $name:ident;)*) => {
        $(
            $(#[$documentation])*
            ///
            /// Anyone who has the handle can use it, so only its first characters are shown, also
            /// in errors.
            ///
            /// Errors name the table of a handle that this crate opened, and the first characters
            /// of a handle from another source.
            #[derive(Clone)]
            pub struct $name {
                handle: String,
                /// The table, or the first characters.
                subject: String,
            }

            impl $name {
                /// Returns the handle as the proxy sent it.
                pub fn as_str(&self) -> &str {
                    &self.handle
                }
            }

            /// Creates a handle from another source, without checks.
            impl From<String> for $name {
                fn from(handle: String) -> Self {
                    Self::from_wire(handle, None)
                }
            }

            impl Named for $name {
                fn name(&self) -> &str {
                    &self.subject
                }
            }

            impl ToWire for $name {
                type Wire = String;

                fn to_wire(&self) -> String {
                    self.handle.clone()
                }
            }

            impl FromWire<String> for $name {
                fn from_wire(handle: String, table: Option<&str>) -> Self {
                    let subject = table.map_or_else(|| shown(&handle), str::to_owned);
                    Self { handle, subject }
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
    /// A conditional writer that is open on the proxy.
    ConditionalWriterHandle;
}
