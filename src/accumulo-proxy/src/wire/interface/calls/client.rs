//! Calls that belong to no group: the login, and computations on keys.

use std::collections::BTreeMap;

#[cfg(test)]
use super::Group;
use super::call::{Call, Exception, Patience, Reply, Resend};
use super::call::{declare, exception, result, success};
use super::data::{Key, PartialKey, Range, Thrown};

#[rustfmt::skip]
macro_rules! client_calls { ($then:ident) => { $then! {
    "The client", ProxyClient;

    by hand connect;
    "login" (LoginRequest, LoginReply), Read, Call,
        { 1: principal: String, 2: login_properties: BTreeMap<String, String> }
        -> value(Vec<u8>), [1: security];

    /// Returns the range of a row. [`Range::row`] returns the same rows without a call.
    fn row_range(row: impl AsRef<[u8]>) -> Range, as [row.as_ref().to_vec()];
    "getRowRange" (GetRowRangeRequest, GetRowRangeReply), Read, Call,
        { 1: row: Vec<u8> }
        -> value(Range), [];

    /// Returns the first key after all keys that equal this one in `part`.
    fn following_key(key: &Key, part: PartialKey) -> Key;
    "getFollowing" (GetFollowingRequest, GetFollowingReply), Read, Call,
        { 1: key: Key, 2: part: PartialKey }
        -> value(Key), [];
} } }

pub(crate) use client_calls;

client_calls!(declare);
