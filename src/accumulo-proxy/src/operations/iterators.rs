//! The iterator of a table or a namespace by its name.

use std::collections::{BTreeMap, BTreeSet};

use crate::client::ProxyClient;
use crate::data::{Bytes, IteratorScope, IteratorSetting};
use crate::error::{ErrorKind, Result};
use crate::wire::Call;

/// The iterators of a table or a namespace by name, each with its scopes.
type Iterators = BTreeMap<String, BTreeSet<IteratorScope>>;

/// Makes the call of `request` for an iterator by its name and scope. Returns `None` if there is
/// none.
///
/// The 1.x proxy then fails with a null pointer, without a clear message, so the `list` of all
/// iterators decides.
pub(super) async fn iterator<C>(
    client: &ProxyClient,
    subject: &str,
    request: impl FnOnce(Bytes) -> C,
    list: impl Future<Output = Result<Iterators>>,
    (name, scope): (&str, IteratorScope),
) -> Result<Option<IteratorSetting>>
where
    C: Call<Success = Option<IteratorSetting>>,
{
    match client.ask(Some(subject), request).await {
        Err(error) if error.kind() == ErrorKind::Accumulo => match list.await?.get(name) {
            Some(scopes) if scopes.contains(&scope) => Err(error),
            _ => Ok(None),
        },
        setting => setting,
    }
}
