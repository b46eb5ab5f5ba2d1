//! The methods that are generated from the table of calls.

/// Generates the public methods of a group of calls. `declare!` explains the form of an entry.
///
/// A method converts its arguments, makes the call, and converts the result. Its documentation is
/// that of the entry, followed by the name of the call, the retry rule and the errors.
macro_rules! methods {
    ($group:ident, $title:literal, $owner:ident $(<$lifetime:lifetime>)?; $(
        $(
            $(#[$documentation:meta])*
            fn $method:ident($($argument:ident: $type:ty),* $(,)?) -> $output:ty
            $(, about $subject:ident)? $(, as $values:tt)?;
        )?
        $(by hand $hand:ident;)?
        $name:literal $call:ident $fields:tt -> $success:ty,
        $exceptions:tt, $resend:ident, $patience:ident;
    )*) => {
        impl $owner $(<$lifetime>)? {
            $($(
                $(#[$documentation])*
                ///
                #[doc = concat!("Makes the call `", $name, "`, which ", retries!($resend), ".")]
                ///
                /// # Errors
                ///
                #[doc = errors!($exceptions)]
                pub async fn $method(&self, $($argument: $type),*) -> Result<$output> {
                    type Request = crate::wire::interface::$call;
                    let client = client!($owner, self);
                    let subject = subject!($($subject)?);
                    let reply = reply!(
                        client, subject, $fields, [$($argument.to_wire()),*] $($values)?
                    );
                    Ok(FromWire::from_wire(reply, subject))
                }
            )?)*
        }
    };
}

/// Returns the client of the group with this owner.
macro_rules! client {
    (ProxyClient, $this:ident) => {
        $this
    };
    ($owner:ident, $this:ident) => {
        $this.client
    };
}

/// Returns the retry rule in words.
macro_rules! retries {
    (Read) => {
        "changes nothing and is [sent again](crate#sending-again)"
    };
    (Repeat) => {
        "is idempotent and is [sent again](crate#sending-again)"
    };
    (Once) => {
        "is [sent once](crate#sending-again)"
    };
}

/// Returns the errors for the exceptions of a reply, as a list.
macro_rules! errors {
    ([$($exception:ident),*]) => {
        concat!($(error!($exception),)* "- those of [every call](crate#errors)")
    };
}

macro_rules! error {
    (Accumulo) => {
        "- [`Accumulo`](crate::ErrorKind::Accumulo): Accumulo rejected the request or failed\n"
    };
    (Security) => {
        "- [`Security`](crate::ErrorKind::Security): the caller lacks a permission\n"
    };
    (TableNotFound) => {
        "- [`TableNotFound`](crate::ErrorKind::TableNotFound): there is no such table\n"
    };
    (TableExists) => {
        "- [`TableExists`](crate::ErrorKind::TableExists): the name is in use\n"
    };
    (NamespaceNotFound) => {
        "- [`NamespaceNotFound`](crate::ErrorKind::NamespaceNotFound): there is no such namespace\n"
    };
    (NamespaceExists) => {
        "- [`NamespaceExists`](crate::ErrorKind::NamespaceExists): the name is in use\n"
    };
    (NamespaceNotEmpty) => {
        "- [`NamespaceNotEmpty`](crate::ErrorKind::NamespaceNotEmpty): the namespace has tables\n"
    };
    (NoMoreEntries) => {
        "- [`Invalid`](crate::ErrorKind::Invalid): there is no further entry\n"
    };
    (UnknownScanner) => {
        "- [`HandleExpired`](crate::ErrorKind::HandleExpired): the proxy does not have the scanner\n"
    };
    (UnknownWriter) => {
        "- [`HandleExpired`](crate::ErrorKind::HandleExpired): the proxy does not have the writer\n"
    };
}

/// Returns the subject of errors.
macro_rules! subject {
    () => {
        None
    };
    ($subject:ident) => {
        Some($subject.name())
    };
}

/// Makes the call with these fields, after the token if the request has one. The second list of
/// fields, if any, replaces the first.
macro_rules! reply {
    ($client:ident, $subject:ident, $fields:tt, $arguments:tt $values:tt) => {
        reply!($client, $subject, $fields, $values)
    };
    ($client:ident, $subject:ident, (token: $($rest:tt)*), [$($value:expr),*]) => {
        $client.ask($subject, |token| Request::new(token, $($value),*)).await?
    };
    ($client:ident, $subject:ident, $fields:tt, [$($value:expr),*]) => {
        $client.call($subject, Request::new($($value),*)).await?
    };
}

/// An argument that errors name.
pub(super) trait Named {
    /// Returns the name.
    fn name(&self) -> &str;
}

impl Named for str {
    fn name(&self) -> &str {
        self
    }
}
