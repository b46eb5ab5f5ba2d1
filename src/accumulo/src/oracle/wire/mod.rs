//! The protocol between the timestamp oracle and its clients, to the byte: the Thrift service
//! `org.apache.fluo.core.thrift.OracleService`.
//!
//! ```text
//! frame     length (4 bytes, big-endian), message
//! message   82, kind and version, sequence (varint), name (varint length, text), struct
//! kind      21 call, 41 reply, 61 exception
//! ```
//!
//! The messages use Thrift's compact protocol. There is one reply for each request, in the order of
//! the requests. The caller numbers its requests, and the reply has the number of its request.

mod calls;
mod frame;
mod message;

pub(crate) use calls::{Call, Cause, Exchange, Reply, decode_request, encode_reply};
pub(crate) use frame::{PATIENCE, read_frame, write_frame};
