//! Handles.

use std::fmt;

const SHOWN_CHARS: usize = 8;

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
            #[derive(Clone, PartialEq, Eq, Hash)]
            pub struct $name(String);

            impl $name {
                /// The handle as the proxy gave it.
                pub fn as_str(&self) -> &str {
                    &self.0
                }

                /// The first characters: enough to tell it from others, and not enough to use it.
                pub(super) fn shown(&self) -> String {
                    shown(&self.0)
                }

                pub(super) fn to_wire(&self) -> String {
                    self.0.clone()
                }
            }

            /// A handle that came from elsewhere. Nothing is checked.
            impl From<String> for $name {
                fn from(handle: String) -> Self {
                    Self(handle)
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str(&self.shown())
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_tuple(stringify!($name)).field(&self.shown()).finish()
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
