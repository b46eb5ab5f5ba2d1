//! The check that a proxy answers. It encodes a few calls itself, so that the harness does not
//! depend on the client that it tests.
//!
//! ```text
//! frame     4 bytes of length (big-endian), the message
//! message   name, kind, number; a struct: arguments, a result (field 0) or an exception (others)
//! ```

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TCompactInputProtocol, TCompactOutputProtocol,
    TFieldIdentifier, TInputProtocol, TMapIdentifier, TMessageIdentifier, TMessageType,
    TOutputProtocol, TStructIdentifier, TType,
};

use crate::settings::Protocol;
use crate::state::Site;

use Argument::{Bytes, Number, Password, Text};

const METADATA: &str = "accumulo.metadata";
const PATIENCE: Duration = Duration::from_secs(5);
/// The limit of the proxy.
const FRAME_BYTES: usize = 16 * 1024 * 1024;

/// Fails unless the proxy on this port accepts the login of the user and finds a table.
pub(crate) fn answers(port: u16, protocol: Protocol, site: &Site) -> Result<()> {
    let mut connection = Connection::open(port, protocol)?;
    let login = connection.login(site)?;
    let exists = connection.call("tableExists", &[Bytes(&login), Text(METADATA)], |reply| {
        reply.read_bool()
    })?;
    if !exists {
        bail!("the table {METADATA} does not exist");
    }
    Ok(())
}

/// Fails unless the proxy on this port reports every tablet server, and a scan finds a cell.
pub(crate) fn serves(port: u16, protocol: Protocol, site: &Site) -> Result<()> {
    let mut connection = Connection::open(port, protocol)?;
    let login = connection.login(site)?;
    let servers = connection.call("getTabletServers", &[Bytes(&login)], list_len)?;
    if servers < site.tablet_servers {
        bail!(
            "{servers} of {} tablet servers are known",
            site.tablet_servers
        );
    }
    let scanner = connection.call("createScanner", &[Bytes(&login), Text(METADATA)], |reply| {
        reply.read_string()
    })?;
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
    fn kind(&self) -> TType {
        match self {
            Text(_) | Bytes(_) => TType::String,
            Number(_) => TType::I32,
            Password(_) => TType::Map,
        }
    }

    fn write(&self, out: &mut dyn TOutputProtocol) -> thrift::Result<()> {
        match self {
            Text(text) => out.write_string(text),
            Bytes(bytes) => out.write_bytes(bytes),
            Number(number) => out.write_i32(*number),
            Password(password) => {
                out.write_map_begin(&TMapIdentifier::new(TType::String, TType::String, 1))?;
                out.write_string("password")?;
                out.write_string(password)?;
                out.write_map_end()
            }
        }
    }
}

struct Connection {
    stream: TcpStream,
    protocol: Protocol,
}

impl Connection {
    fn open(port: u16, protocol: Protocol) -> Result<Connection> {
        let stream = TcpStream::connect(("localhost", port))
            .with_context(|| format!("no process listens on port {port}"))?;
        stream
            .set_read_timeout(Some(PATIENCE))
            .context("a read timeout cannot be set")?;
        Ok(Connection { stream, protocol })
    }

    fn login(&mut self, site: &Site) -> Result<Vec<u8>> {
        let arguments = [Text(&site.user), Password(&site.password)];
        self.call("login", &arguments, |reply| reply.read_bytes())
    }

    fn call<R>(
        &mut self,
        name: &str,
        arguments: &[Argument<'_>],
        result: impl FnOnce(&mut dyn TInputProtocol) -> thrift::Result<R>,
    ) -> Result<R> {
        let request = encode(self.protocol, name, arguments)
            .with_context(|| format!("the call {name} cannot be encoded"))?;
        let reply = self
            .exchange(&request)
            .with_context(|| format!("the call {name} got no answer"))?;
        decode(self.protocol, &reply, result).with_context(|| format!("the call {name} failed"))
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        self.stream
            .write_all(&u32::try_from(request.len())?.to_be_bytes())?;
        self.stream.write_all(request)?;
        let mut length = [0; 4];
        self.stream.read_exact(&mut length)?;
        let length = usize::try_from(u32::from_be_bytes(length))?;
        if length > FRAME_BYTES {
            bail!("a frame of {length} bytes is not an answer of a proxy");
        }
        let mut reply = vec![0; length];
        self.stream.read_exact(&mut reply)?;
        Ok(reply)
    }
}

fn encode(protocol: Protocol, name: &str, arguments: &[Argument<'_>]) -> thrift::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match protocol {
        Protocol::Compact => write(
            &mut TCompactOutputProtocol::new(&mut bytes),
            name,
            arguments,
        )?,
        Protocol::Binary => {
            write(
                &mut TBinaryOutputProtocol::new(&mut bytes, true),
                name,
                arguments,
            )?;
        }
    }
    Ok(bytes)
}

fn write(
    out: &mut dyn TOutputProtocol,
    name: &str,
    arguments: &[Argument<'_>],
) -> thrift::Result<()> {
    out.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Call, 1))?;
    out.write_struct_begin(&TStructIdentifier::new(name))?;
    for (argument, id) in arguments.iter().zip(1_i16..) {
        out.write_field_begin(&TFieldIdentifier::new("argument", argument.kind(), id))?;
        argument.write(out)?;
        out.write_field_end()?;
    }
    out.write_field_stop()?;
    out.write_struct_end()?;
    out.write_message_end()?;
    out.flush()
}

fn decode<R>(
    protocol: Protocol,
    reply: &[u8],
    result: impl FnOnce(&mut dyn TInputProtocol) -> thrift::Result<R>,
) -> Result<R> {
    match protocol {
        Protocol::Compact => read(&mut TCompactInputProtocol::new(reply), result),
        Protocol::Binary => read(&mut TBinaryInputProtocol::new(reply, true), result),
    }
}

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
