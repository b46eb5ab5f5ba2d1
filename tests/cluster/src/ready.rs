//! The check that a proxy answers. It encodes a few calls itself, so that the harness does not
//! depend on the client that it tests.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
    TFieldIdentifier, TInputProtocol, TMapIdentifier, TMessageIdentifier, TMessageType,
    TOutputProtocol, TStructIdentifier, TType,
};
use thrift::transport::{TFramedReadTransport, TFramedWriteTransport};

use crate::settings::Protocol;
use crate::state::Site;

use Argument::{Bytes, Number, Password, Text};

const METADATA: &str = "accumulo.metadata";
const PATIENCE: Duration = Duration::from_secs(5);

/// Fails unless the proxy on this port accepts the login of the user and finds a table.
pub(crate) fn answers(port: u16, protocol: Protocol, site: &Site) -> Result<()> {
    let (connection, login) = Connection::login(port, protocol, site)?;
    let arguments = [Bytes(&login), Text(METADATA)];
    if !connection.call("tableExists", &arguments, |reply| reply.read_bool())? {
        bail!("the table {METADATA} does not exist");
    }
    Ok(())
}

/// Fails unless the proxy on this port reports every tablet server, and a scan finds a cell.
pub(crate) fn serves(port: u16, protocol: Protocol, site: &Site) -> Result<()> {
    let (connection, login) = Connection::login(port, protocol, site)?;
    let servers = connection.call("getTabletServers", &[Bytes(&login)], list_len)?;
    if servers < site.tablet_servers {
        bail!(
            "{servers} of {} tablet servers are known",
            site.tablet_servers
        );
    }
    let arguments = [Bytes(&login), Text(METADATA)];
    let scanner = connection.call("createScanner", &arguments, |reply| reply.read_string())?;
    let cells = connection.call("nextK", &[Text(&scanner), Number(1)], |reply| {
        reply.read_struct_begin()?;
        reply.read_field_begin()?;
        list_len(reply)
    })?;
    if cells == 0 {
        bail!("a scan of {METADATA} finds nothing");
    }
    Ok(())
}

fn list_len(reply: &mut dyn TInputProtocol) -> thrift::Result<usize> {
    Ok(usize::try_from(reply.read_list_begin()?.size).unwrap_or(0))
}

/// An argument of a call. Arguments are numbered from 1 in their order.
enum Argument<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
    Number(i32),
    /// The properties of a login: one pair.
    Password(&'a str),
}

impl Argument<'_> {
    fn write(&self, id: i16, out: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        let kind = match self {
            Text(_) | Bytes(_) => TType::String,
            Number(_) => TType::I32,
            Password(_) => TType::Map,
        };
        out.write_field_begin(&TFieldIdentifier::new("argument", kind, id))?;
        match self {
            Text(text) => out.write_string(text)?,
            Bytes(bytes) => out.write_bytes(bytes)?,
            Number(number) => out.write_i32(*number)?,
            Password(password) => {
                out.write_map_begin(&TMapIdentifier::new(TType::String, TType::String, 1))?;
                out.write_string("password")?;
                out.write_string(password)?;
                out.write_map_end()?;
            }
        }
        out.write_field_end()
    }
}

struct Connection {
    stream: TcpStream,
    protocol: Protocol,
}

impl Connection {
    /// Connects to a proxy, and returns its answer to the login of the user.
    fn login(port: u16, protocol: Protocol, site: &Site) -> Result<(Connection, Vec<u8>)> {
        let stream = TcpStream::connect(("localhost", port))
            .with_context(|| format!("no process listens on port {port}"))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let connection = Connection { stream, protocol };
        let arguments = [Text(&site.user), Password(&site.password)];
        let login = connection.call("login", &arguments, |reply| reply.read_bytes())?;
        Ok((connection, login))
    }

    fn call<R>(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
        result: impl FnOnce(&mut dyn TInputProtocol) -> thrift::Result<R>,
    ) -> Result<R> {
        let sent = TFramedWriteTransport::new(&self.stream);
        // A new one for each call skips the rest of the last answer.
        let received = TFramedReadTransport::new(&self.stream);
        let answer = match self.protocol {
            Protocol::Compact => write(&mut TCompactOutputProtocol::new(sent), name, arguments)
                .map_err(Into::into)
                .and_then(|()| read(&mut TCompactInputProtocol::new(received), result)),
            Protocol::Binary => write(&mut TBinaryOutputProtocol::new(sent, true), name, arguments)
                .map_err(Into::into)
                .and_then(|()| read(&mut TBinaryInputProtocol::new(received, true), result)),
        };
        answer.with_context(|| format!("the call {name} failed"))
    }
}

fn write(
    out: &mut dyn TOutputProtocol,
    name: &str,
    arguments: &[Argument<'_>],
) -> thrift::Result<()> {
    out.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Call, 1))?;
    out.write_struct_begin(&TStructIdentifier::new(name))?;
    for (argument, id) in arguments.iter().zip(1..) {
        argument.write(id, out)?;
    }
    out.write_field_stop()?;
    out.write_struct_end()?;
    out.write_message_end()?;
    out.flush()
}

/// Reads an answer: a struct with a result (field 0) or an exception (others).
fn read<R>(
    reply: &mut dyn TInputProtocol,
    result: impl FnOnce(&mut dyn TInputProtocol) -> thrift::Result<R>,
) -> Result<R> {
    if reply.read_message_begin()?.message_type == TMessageType::Exception {
        bail!(thrift::Error::read_application_error_from_in_protocol(reply)?.message);
    }
    reply.read_struct_begin()?;
    let field = reply.read_field_begin()?;
    match field.id {
        Some(0) => Ok(result(reply)?),
        Some(_) => bail!("the proxy refused: {}", refusal(reply)),
        None => bail!("the answer is empty"),
    }
}

/// Returns the message of an exception: every exception of the proxy is a struct with one string.
fn refusal(reply: &mut dyn TInputProtocol) -> String {
    let mut message = || {
        reply.read_struct_begin()?;
        match reply.read_field_begin()?.field_type {
            TType::String => reply.read_string(),
            _ => Ok("no message".to_owned()),
        }
    };
    message().unwrap_or_else(|error| error.to_string())
}
