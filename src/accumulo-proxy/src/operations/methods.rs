//! The methods that are generated from the table of calls.

/// Declares the operations of a group, with the methods of its calls.
macro_rules! operations {
    (
        $(#[$documentation:meta])*
        $name:ident, $accessor:ident, $subject:literal, $calls:ident
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Debug)]
        pub struct $name<'a> {
            client: &'a ProxyClient,
        }

        impl ProxyClient {
            #[doc = concat!("Returns the operations on ", $subject, ".")]
            pub fn $accessor(&self) -> $name<'_> {
                $name { client: self }
            }
        }

        wire::$calls!(methods);
    };
}

/// Generates the public methods of a group of calls. `declare!` explains the form of an entry.
///
/// A method converts its arguments, makes the call, and converts the result. Its documentation is
/// that of the entry, followed by the name of the call, the retry rule, the time limit and the
/// errors.
macro_rules! methods {
    ($owner:ident $(<$lifetime:lifetime>)?; $(
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
                #[doc = concat!("Its time limit is ", limit!($patience), ".")]
                ///
                /// # Errors
                ///
                #[doc = errors!($exceptions)]
                pub async fn $method(&self, $($argument: $type),*) -> Result<$output> {
                    type Request = crate::wire::interface::$call;
                    let client = client!($owner, self);
                    let subject = None$(.or(Some($subject.name())))?;
                    let reply = reply!(
                        client, subject, $fields, [$($argument.to_wire()),*] $($values)?
                    );
                    Ok(FromWire::from_wire(reply, subject))
                }
            )?)*
        }
    };
}

macro_rules! client {
    (ProxyClient, $this:ident) => {
        $this
    };
    ($owner:ident, $this:ident) => {
        $this.client
    };
}

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

macro_rules! limit {
    (Call) => {
        "[`call_timeout`](field@crate::ProxyOptions::call_timeout)"
    };
    (Wait) => {
        "[`wait_timeout`](field@crate::ProxyOptions::wait_timeout)"
    };
}

macro_rules! errors {
    ([]) => {
        "Those of [every call](crate#errors)."
    };
    ([$($exception:ident),*]) => {
        concat!($(
            "[`", stringify!($exception), "`](crate::ErrorKind::", stringify!($exception), "), ",
        )* "and those of [every call](crate#errors).")
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
    fn name(&self) -> &str;
}

impl Named for str {
    fn name(&self) -> &str {
        self
    }
}
