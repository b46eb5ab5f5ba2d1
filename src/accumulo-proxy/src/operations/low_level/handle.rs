//! Handles.

use std::fmt;

macro_rules! handles {
    ($($(#[$documentation:meta])* $name:ident;)*) => {
        $(
            $(#[$documentation])*
            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            pub struct $name(String);

            impl $name {
                /// The handle as the proxy gave it.
                pub fn as_str(&self) -> &str {
                    &self.0
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
                    f.write_str(&self.0)
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
