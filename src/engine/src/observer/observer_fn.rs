//! Observers created from functions.

use std::future::Future;

use async_trait::async_trait;
use fluo_table::{Bytes, Column};

use crate::observer::{Observer, ObserverError};
use crate::transaction::Transaction;

/// An observer created from a function.
struct ObserverFn<F>(F);

/// Creates an observer from an async function or closure. The future must own the values that it
/// uses.
///
/// # Examples
///
/// ```
/// use fluo_engine::{Column, Error, observer_fn};
///
/// let length = Column::new("page", "length");
/// let observer = observer_fn(move |tx, row, column| {
///     let length = length.clone();
///     async move {
///         let text = tx.get(row.clone(), &column).await?.unwrap_or_default();
///         tx.set(row, &length, text.len().to_string())?;
///         Ok::<_, Error>(())
///     }
/// });
/// # fn is_observer(_: impl fluo_engine::Observer) {}
/// # is_observer(observer);
/// # let by_closure = async |tx: fluo_engine::Transaction, row: fluo_engine::Bytes, column: Column| {
/// #     tx.delete(row, &column)
/// # };
/// # is_observer(observer_fn(by_closure));
/// ```
pub fn observer_fn<F, R, E>(process: F) -> impl Observer
where
    F: Fn(Transaction, Bytes, Column) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<ObserverError> + 'static,
{
    ObserverFn(process)
}

#[async_trait]
impl<F, R, E> Observer for ObserverFn<F>
where
    F: Fn(Transaction, Bytes, Column) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send,
    E: Into<ObserverError>,
{
    async fn process(
        &self,
        tx: Transaction,
        row: Bytes,
        column: Column,
    ) -> Result<(), ObserverError> {
        let ran = (self.0)(tx, row, column);
        ran.await.map_err(Into::into)
    }
}
