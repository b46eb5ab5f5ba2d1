//! Calls that belong to no group: the login, and computations on keys.

#[rustfmt::skip]
macro_rules! client_calls { ($then:ident) => { $then! {
    CLIENT, "The client", ProxyClient;

    by hand connect;
    "login" (LoginRequest, LoginReply), Read, Call,
        { 1: principal: String, 2: login_properties: BTreeMap<String, String> }
        -> value(Bytes), [1: Security];

    /// Returns the range of a row. [`Range::row`] returns the same rows without a call.
    fn row_range(row: impl AsRef<[u8]>) -> Range, as [Bytes::copy_from_slice(row.as_ref())];
    "getRowRange" (GetRowRangeRequest, GetRowRangeReply), Read, Call, { 1: row: Bytes }
        -> value(Range), [];

    /// Returns the first key after all keys that equal this one in `part`.
    fn following_key(key: &Key, part: PartialKey) -> Key;
    "getFollowing" (GetFollowingRequest, GetFollowingReply), Read, Call,
        { 1: key: Key, 2: part: PartialKey } -> value(Key), [];
} } }

pub(crate) use client_calls;
