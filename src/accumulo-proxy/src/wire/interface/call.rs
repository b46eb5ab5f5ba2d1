//! The rules of a call: its name, its request, its reply, its retry rule and its time limit. The
//! page of the crate has the rules of [sending again](crate#sending-again).

use std::collections::BTreeMap;

use thrift::protocol::{TOutputProtocol, TType};

use super::data::Thrown;
use super::structure::{Field, invalid, read_fields, write_begin, write_end};
use super::value::{Reader, WireValue};
use crate::error::ErrorKind;

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

/// A request and the rules of its call.
pub(crate) trait Call: WireValue + Send + Sync {
    const NAME: &'static str;
    const RESEND: Resend;
    const PATIENCE: Patience;
    type Success: Field;
    /// The kinds of the possible exceptions, in the order of their fields in the reply.
    const EXCEPTIONS: &'static [ErrorKind];
}

/// Numbers the exceptions of a call as the fields of its reply.
fn numbered(exceptions: &[ErrorKind]) -> impl Iterator<Item = (i16, ErrorKind)> {
    (1..).zip(exceptions.iter().copied())
}

/// The reply to a call: its result (`None` if a required one is absent), or the kind of the
/// exception with its message. If a broken server sent several exceptions, it is the one with the
/// lowest field.
///
/// The result is field 0 of the structure, and the exceptions are the fields from 1.
#[derive(Debug)]
pub(crate) struct Reply<C: Call>(pub(crate) Result<Option<C::Success>, (ErrorKind, String)>);

impl<C: Call> WireValue for Reply<C> {
    const TYPE: TType = TType::Struct;

    fn read(reader: &mut Reader<'_>) -> thrift::Result<Self> {
        let (mut success, mut thrown) = (C::Success::ABSENT, BTreeMap::new());
        read_fields(reader, &mut |id, found, reader| {
            match numbered(C::EXCEPTIONS).find(|(number, _)| *number == id) {
                Some((_, exception)) => {
                    let Thrown { message } = reader.announced(found)?;
                    thrown.insert(id, (exception, message.unwrap_or_default()));
                }
                None if id == 0 => success = Some(C::Success::read_field(reader, found)?),
                None => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Self(thrown.into_values().next().map_or(Ok(success), Err)))
    }

    fn write(&self, output: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        write_begin(output)?;
        match &self.0 {
            Ok(None) => {}
            Ok(Some(success)) => success.write_field(output, 0)?,
            Err((exception, message)) => {
                let mut exceptions = numbered(C::EXCEPTIONS);
                let declared = exceptions.find(|(_, declared)| declared == exception);
                let (id, _) = declared.ok_or_else(|| invalid("not declared".to_owned()))?;
                Thrown::new(message.clone()).write_field(output, id)?;
            }
        }
        write_end(output)
    }
}

/// Declares the calls of a group: the structure of each request, and the rules. The methods are
/// generated from the same table, by `operations/methods.rs`.
///
/// An entry of a table is:
///
/// ```text
/// /// Deletes the rows ..                               documentation of the method
/// fn delete_rows(table: &str, ..) -> (), about table;   the method; its errors are about `table`
/// "deleteRows" DeleteRows(token: Bytes, ..) -> (),      name, fields and result of the call
///     [Accumulo, Security, TableNotFound],              kinds of the possible exceptions
///     Once, Wait;                                       retry rule, time limit
/// ```
///
/// Fields and exceptions are numbered from 1, in their order. A reply without an exception must
/// contain a result, unless the result is `()` or an `Option`.
///
/// The converted arguments of the method are the fields of the request after the token. If they are
/// not, `, as [..]` lists these fields. A method that does more than make one call is written by
/// hand, and `by hand compact;` names it.
macro_rules! declare {
    ($owner:ident $(<$lifetime:lifetime>)?; $(
        $(
            $(#[$documentation:meta])*
            fn $method:ident $arguments:tt -> $output:ty
            $(, about $subject:ident)? $(, as $values:tt)?;
        )?
        $(by hand $hand:ident;)?
        $name:literal $call:ident $fields:tt -> $success:ty,
        [$($exception:ident),*], $resend:ident, $patience:ident;
    )*) => {
        $(
            super::structure::request! { $call $fields }

            impl Call for $call {
                const NAME: &'static str = $name;
                const RESEND: Resend = Resend::$resend;
                const PATIENCE: Patience = Patience::$patience;
                type Success = $success;
                const EXCEPTIONS: &'static [ErrorKind] = &[$(ErrorKind::$exception),*];
            }
        )*
    };
}

pub(super) use declare;
