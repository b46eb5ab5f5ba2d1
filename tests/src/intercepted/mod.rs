//! A port whose calls pass hooks.

mod admin;
mod applications;
mod coordination;
mod hooks;
mod presence;
mod table;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use fluo_table::{Error, ErrorKind, Result};

pub use hooks::{Call, CoordinationCall, Fault, Hooks};

/// A table, tables, coordination or applications behind [`Hooks`]. Handles that are opened through
/// it have the same hooks.
///
/// It implements the port that it wraps, and passes the conformance suite if the hooks do nothing.
/// A closure is enough for hooks that only act before calls:
///
/// ```
/// use std::future::ready;
/// use std::sync::Arc;
///
/// use fluo_table::{Authorizations, Column, MemoryTables, Mutation, Result, Table, TableAdmin};
/// use fluo_table::{Error, ErrorKind, Versions};
/// use fluo_tests::{Call, Intercepted};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let tables = Intercepted::with_hooks(Arc::new(MemoryTables::new()), |call: &Call| {
///     ready(match call {
///         Call::Write(_) => Err(Error::new(ErrorKind::Storage, "the disk is full")),
///         _ => Ok(None),
///     })
/// });
/// tables.create_table("pages", Versions::default()).await?;
/// let pages = tables.open_table("pages", Authorizations::none()).await?;
/// let row = Mutation::new("a").put(Column::new("f", "q"), "v");
/// assert_eq!(pages.write(vec![row]).await.unwrap_err().kind(), ErrorKind::Storage);
/// # Ok(())
/// # }
/// ```
pub struct Intercepted<P: ?Sized, H> {
    inner: Arc<P>,
    hooks: Arc<H>,
    is_row_by_row: bool,
    is_local: bool,
}

impl<P: ?Sized, H: Hooks> Intercepted<P, H> {
    /// Wraps a port.
    pub fn with_hooks(inner: Arc<P>, hooks: H) -> Self {
        let hooks = Arc::new(hooks);
        Self { inner, hooks, is_row_by_row: false, is_local: false }
    }

    /// Makes all tables write [no rows together](fluo_table::Table::together), like tables on
    /// several servers, and [remote](fluo_table::Table::is_remote).
    #[must_use]
    pub fn row_by_row(self) -> Self {
        Self { is_row_by_row: true, ..self }
    }

    /// Makes no table [remote](fluo_table::Table::is_remote), so that reads do not travel together.
    #[must_use]
    pub fn local(self) -> Self {
        Self { is_local: true, ..self }
    }

    /// Returns the hooks.
    pub fn hooks(&self) -> &H {
        &self.hooks
    }

    /// Wraps a port that was opened through this one.
    fn opened<Q: ?Sized>(&self, inner: Arc<Q>) -> Intercepted<Q, H> {
        Intercepted {
            inner,
            hooks: self.hooks.clone(),
            is_row_by_row: self.is_row_by_row,
            is_local: self.is_local,
        }
    }

    /// Makes a call, or applies the fault that the hooks return for it.
    async fn call<T>(
        &self,
        call: impl Into<Call>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let fault = self.hooks.before(&call.into()).await?;
        apply(fault, work).await
    }
}

/// Makes a call, or applies its fault.
async fn apply<T>(fault: Option<Fault>, work: impl Future<Output = Result<T>>) -> Result<T> {
    match fault {
        None => work.await,
        Some(Fault::Before) => Err(unavailable()),
        Some(Fault::Lost | Fault::Partial) => Err(uncertain()),
        Some(Fault::After) => {
            work.await?;
            Err(uncertain())
        }
    }
}

impl<P: ?Sized, H: Hooks> Clone for Intercepted<P, H> {
    fn clone(&self) -> Self {
        self.opened(self.inner.clone())
    }
}

/// The name of a method of coordination is its call.
impl From<&'static str> for Call {
    fn from(method: &'static str) -> Self {
        Self::Coordination(method.into())
    }
}

impl<P: fmt::Debug + ?Sized, H> fmt::Debug for Intercepted<P, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Intercepted").field(&self.inner).finish()
    }
}

pub(crate) fn unavailable() -> Error {
    let message = "injected fault: the call was not sent; nothing was done";
    Error::new(ErrorKind::Unavailable, message)
}

fn uncertain() -> Error {
    let message = "injected fault: the answer was lost; the call may have taken effect";
    Error::new(ErrorKind::Uncertain, message)
}
