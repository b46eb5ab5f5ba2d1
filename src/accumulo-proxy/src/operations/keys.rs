//! Computations on keys by the proxy, for callers that need Accumulo's own answer.

use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{Key, PartialKey, Range};
use crate::error::Result;
use crate::wire::interface as wire;

wire::client_calls!(methods);
