//! Calls that belong to no group: the login, and computations on keys.

#[rustfmt::skip]
macro_rules! client_calls { ($then:ident) => { $then! {
    ProxyClient;

    by hand connect;
    "login" Login(principal: String, login_properties: BTreeMap<String, String>) -> Bytes,
        [Security], Read, Call;

    /// Returns the range of a row. [`Range::row`] returns the same rows without a call.
    fn row_range(row: impl AsRef<[u8]>) -> Range, as [Bytes::copy_from_slice(row.as_ref())];
    "getRowRange" GetRowRange(row: Bytes) -> Range, [], Read, Call;

    /// Returns the first key after all keys that equal this one in `part`.
    fn following_key(key: &Key, part: PartialKey) -> Key;
    "getFollowing" GetFollowing(key: Key, part: PartialKey) -> Key, [], Read, Call;
} } }

pub(crate) use client_calls;
