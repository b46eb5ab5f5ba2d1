//! The call that verifies a table: [`TableOptimizations::verify`].

use std::fmt;

use fluo_table::{Result, TableAdmin};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::found::Found;
use super::{Difference, RowCounting, Verdict, VerifyOptions};
use crate::optimization::TableOptimizations;

/// A call of [`TableOptimizations::verify`]: its options, and the call itself when it is awaited.
#[must_use = "a table is verified when this is awaited"]
pub struct Verifying<'a> {
    optimizations: &'a TableOptimizations,
    tables: &'a dyn TableAdmin,
    table: &'a str,
    options: VerifyOptions,
    progress: Box<dyn FnMut(u64) + Send + 'a>,
}

impl TableOptimizations {
    /// Reads back the split points, the balancer, the places of the tablets and, by default, the
    /// rows, and compares each with the optimizations. Writes nothing.
    ///
    /// Await the returned value, after options if needed. A difference is not an error but part of
    /// the verdict; [`into_result`](Verdict::into_result) turns it into one. If the user may not
    /// read the rows, that is a difference, and the verdict covers the rest.
    ///
    /// # Errors
    ///
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the table does not exist;
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the optimizations ask for nothing; and the
    /// errors of the port. Servers that load no group balancer are a difference here, and an error
    /// of [`plan`](Self::plan).
    pub fn verify<'a>(&'a self, tables: &'a dyn TableAdmin, table: &'a str) -> Verifying<'a> {
        Verifying {
            optimizations: self,
            tables,
            table,
            options: VerifyOptions::new(),
            progress: Box::new(|_| ()),
        }
    }
}

impl<'a> Verifying<'a> {
    /// Sets the options.
    pub fn options(mut self, options: &VerifyOptions) -> Self {
        self.options = options.clone();
        self
    }

    /// Sets a function that is called with the number of rows counted so far. Default: none.
    pub fn on_progress(mut self, progress: impl FnMut(u64) + Send + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Returns a function that makes this call each time, without a count of rows.
    pub(in super::super) fn repeated_without_rows(
        self,
    ) -> impl FnMut() -> BoxFuture<'a, Result<Verdict>> + Send + 'a {
        let (optimizations, tables, table) = (self.optimizations, self.tables, self.table);
        let options = self.options.rows(RowCounting::Skip);
        move || {
            let call = optimizations.verify(tables, table).options(&options);
            call.into_future()
        }
    }

    async fn run(mut self) -> Result<Verdict> {
        let (tables, options) = (self.tables, &self.options);
        let found = Found::read(tables, self.table, self.optimizations).await?;
        if !options.rows.is_for(&found.tablets) {
            let verdict = found.by_entries(options)?;
            let is_hot = verdict.differences.iter().any(Difference::is_hot);
            if !is_hot || !options.rows.is_for_uneven(&found.tablets) {
                return Ok(verdict);
            }
        }
        found.by_rows(tables, options, &mut self.progress).await
    }
}

impl<'a> IntoFuture for Verifying<'a> {
    type Output = Result<Verdict>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}

impl fmt::Debug for Verifying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifying")
            .field("optimizations", &self.optimizations)
            .field("tables", &self.tables)
            .field("table", &self.table)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
