//! Computations on keys by the proxy, for callers that need Accumulo's own answer.

use crate::client::ProxyClient;
use crate::convert::{FromWire, ToWire};
use crate::data::{Key, PartialKey, Range};
use crate::error::Result;
use crate::wire::interface as wire;

impl ProxyClient {
    /// Returns the range of a row (`getRowRange`). [`Range::row`] returns the same rows without a
    /// call.
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn row_range(&self, row: impl AsRef<[u8]>) -> Result<Range> {
        type Request = wire::GetRowRangeRequest;
        let range = self.call(None, Request::new(row.as_ref().to_vec())).await?;
        self.meaning::<Request, _>(None, Range::from_wire(range))
    }

    /// Returns the first key after all keys that equal this one in `part` (`getFollowing`).
    ///
    /// # Errors
    ///
    /// Those of [every call](crate#errors).
    pub async fn following_key(&self, key: &Key, part: PartialKey) -> Result<Key> {
        type Request = wire::GetFollowingRequest;
        let request = Request::new(key.to_wire(), part.to_wire());
        let following = self.call(None, request).await?;
        self.meaning::<Request, _>(None, Key::from_wire(following))
    }
}
