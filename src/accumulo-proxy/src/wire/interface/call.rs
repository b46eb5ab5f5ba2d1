//! The rules of a call: its name, its structures, its retry rule, its time limit and its possible
//! exceptions.
//!
//! # Sending again
//!
//! A call whose request was not written to the end was not executed, because the proxy acts on
//! complete frames only. Every call may therefore be retried in that case. If the request was sent
//! and no reply came, the retry rule is a property of the call, [`Resend`].

use super::value::WireValue;

/// The retry rule of a call whose request was sent and has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resend {
    /// The call changes nothing, or leaves only a handle behind that expires: it is retried.
    Read,
    /// The call is idempotent: it is retried.
    Repeat,
    /// The call is not idempotent: it is never retried, and the error says that it may have taken
    /// effect.
    Once,
}

/// The time limit of a call in [`ProxyOptions`](crate::ProxyOptions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// `call_timeout`.
    Call,
    /// `wait_timeout`: the call waits until the cluster has finished an operation.
    Wait,
}

/// An exception in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exception {
    Accumulo,
    Security,
    TableNotFound,
    TableExists,
    MutationsRejected,
    NamespaceNotFound,
    NamespaceExists,
    NamespaceNotEmpty,
    UnknownScanner,
    UnknownWriter,
    NoMoreEntries,
}

/// A request and the rules of its call.
pub(crate) trait Call: WireValue + Send + Sync {
    /// The name of the call on the wire.
    const NAME: &'static str;
    /// The retry rule.
    const RESEND: Resend;
    /// The time limit.
    const PATIENCE: Patience;
    /// The structure of the reply.
    type Reply: Reply;
}

/// A reply: a result or an exception.
pub(crate) trait Reply: WireValue {
    /// The result of a reply without an exception.
    type Success;

    /// Returns the exception of the reply (the first, if a broken server sent several) or else the
    /// result. Returns `None` if a required result is absent.
    fn outcome(self) -> Result<Option<Self::Success>, (Exception, String)>;
}

/// Declares the calls of a group: the structures of each request and reply, and the rules. The
/// methods are generated from the same table, by `operations/methods.rs`.
///
/// An entry of a table is:
///
/// ```text
/// /// Deletes the rows ..                                         documentation of the method
/// fn delete_rows(table: &str, ..) -> (), about table;             the method; errors are about `table`
/// "deleteRows" (DeleteRowsRequest, DeleteRowsReply), Once, Wait,  name, structures, retry rule, limit
///     { 1: token: Bytes, 2: table_name: String, .. }            fields of the request
///     -> nothing, [1: Accumulo, 2: Security, 3: TableNotFound]; result and exceptions of the reply
/// ```
///
/// The converted arguments of the method are the fields of the request after the token. If they are
/// not, `, as [..]` lists these fields. A method that does more than make one call is written by
/// hand, and `by hand compact;` names it.
///
/// A result is `nothing`, a `value` that a reply without an exception must contain, or a value that
/// may (`maybe`) be absent. It is field 0 of the reply.
macro_rules! declare {
    ($group:ident, $title:literal, $owner:ident $(<$lifetime:lifetime>)?; $(
        $(
            $(#[$documentation:meta])*
            fn $method:ident $arguments:tt -> $output:ty
            $(, about $subject:ident)? $(, as $values:tt)?;
        )?
        $(by hand $hand:ident;)?
        $name:literal ($request:ident, $reply:ident), $resend:ident, $patience:ident,
        { $($id:literal: $field:ident: $type:ty),* }
        -> $kind:ident $(($success:ty))?, [$($number:literal: $exception:ident),*];
    )*) => {
        $(
            super::structure::message! { $request { $($id: $field: $type),* } }
            super::structure::message! {
                $reply { $(0: success: $success,)? $($number: $exception: Thrown),* }
            }

            impl Call for $request {
                const NAME: &'static str = $name;
                const RESEND: Resend = Resend::$resend;
                const PATIENCE: Patience = Patience::$patience;
                type Reply = $reply;
            }

            impl Reply for $reply {
                type Success = success!($kind $(($success))?);

                fn outcome(self) -> Result<Option<Self::Success>, (Exception, String)> {
                    $(
                        if let Some(thrown) = self.$exception {
                            let message = thrown.message.unwrap_or_default();
                            return Err((Exception::$exception, message));
                        }
                    )*
                    Ok(result!($kind, self))
                }
            }
        )*

        /// The calls of the group.
        #[cfg(test)]
        pub(crate) const $group: Group = Group {
            title: $title,
            owner: stringify!($owner),
            calls: &[$(Declaration {
                name: $name,
                request: <$request as super::structure::Structure>::fields,
                reply: <$reply as super::structure::Structure>::fields,
                resend: Resend::$resend,
                patience: Patience::$patience,
                method: concat!($(stringify!($method))? $(stringify!($hand))?),
            }),*],
        };
    };
}

/// Returns the type of a result.
macro_rules! success {
    (nothing) => {
        ()
    };
    (value($success:ty)) => {
        $success
    };
    (maybe($success:ty)) => {
        Option<$success>
    };
}

/// Extracts a result.
macro_rules! result {
    (nothing, $reply:expr) => {
        Some(())
    };
    (value, $reply:expr) => {
        $reply.success
    };
    (maybe, $reply:expr) => {
        Some($reply.success)
    };
}

pub(super) use {declare, result, success};
