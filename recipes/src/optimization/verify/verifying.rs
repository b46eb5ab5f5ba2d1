//! The call that verifies a table: [`TableOptimizations::verify`].

use std::fmt;

use fluo_table::{Authorizations, Result, TableAdmin};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::{Found, MaxSkew, OtherRows, RowCounting, Verdict, VerifyOptions};
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
    ///
    /// # Examples
    ///
    /// ```
    /// use fluo_table::{Instance, TableAdmin, Versions};
    /// use fluo_recipes::{MaxSkew, RowHasher, TableOptimizations};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fluo = Instance::in_memory();
    /// fluo.create_table("pages", Versions::default()).await?;
    /// let optimizations = TableOptimizations::for_row_hasher(&RowHasher::new("p")?, 4)?;
    /// assert!(!optimizations.verify(&fluo, "pages").await?.ok);
    ///
    /// optimizations.plan(&fluo, "pages").await?.apply(&fluo).await?;
    /// optimizations.verify(&fluo, "pages").await?.into_result()?;
    ///
    /// // The table is empty, so nothing proves that its rows are even.
    /// let strict = optimizations.verify(&fluo, "pages").max_skew(MaxSkew::new(1.5)?).require_rows(true);
    /// assert!(!strict.await?.ok);
    /// # Ok(())
    /// # }
    /// ```
    pub fn verify<'a>(&'a self, tables: &'a dyn TableAdmin, table: &'a str) -> Verifying<'a> {
        Verifying {
            optimizations: self,
            tables,
            table,
            options: VerifyOptions::default(),
            progress: Box::new(|_| ()),
        }
    }
}

impl<'a> Verifying<'a> {
    /// Replaces all options.
    pub fn options(mut self, options: &VerifyOptions) -> Self {
        self.options = options.clone();
        self
    }

    /// Sets whether split points that no recipe asks for pass. Default: no.
    pub fn allow_extra_splits(mut self, allow: bool) -> Self {
        self.options.allow_extra_splits = allow;
        self
    }

    /// Sets the way to count rows. Default: by reading them, if the table has at most ten million
    /// entries.
    pub fn rows(mut self, rows: RowCounting) -> Self {
        self.options.rows = rows;
        self
    }

    /// Sets the authorizations to count rows with. Rows all of whose cells need others are not
    /// counted. Default: none.
    pub fn authorizations(mut self, authorizations: Authorizations) -> Self {
        self.options.authorizations = authorizations;
        self
    }

    /// Sets the largest skew that passes: how many times the mean the fullest tablet of a recipe or
    /// a group, or the fullest server, may hold. Default: 2.
    pub fn max_skew(mut self, max_skew: MaxSkew) -> Self {
        self.options.max_skew = max_skew;
        self
    }

    /// Sets whether rows that belong to no recipe pass. Default: no.
    pub fn other_rows(mut self, other_rows: OtherRows) -> Self {
        self.options.other_rows = other_rows;
        self
    }

    /// Sets whether the verdict fails if there are too few rows to prove that they are even.
    /// Default: no.
    pub fn require_rows(mut self, require: bool) -> Self {
        self.options.require_rows = require;
        self
    }

    /// Sets a function that is called with the number of rows counted so far. Default: none.
    pub fn on_progress(mut self, progress: impl FnMut(u64) + Send + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Returns a function that makes this call each time, and reports no progress.
    pub(in super::super) fn repeated(
        self,
    ) -> impl FnMut() -> BoxFuture<'a, Result<Verdict>> + Send + 'a {
        let Self {
            optimizations,
            tables,
            table,
            options,
            ..
        } = self;
        move || {
            let call = optimizations.verify(tables, table).options(&options);
            call.into_future()
        }
    }

    async fn run(mut self) -> Result<Verdict> {
        let (tables, options) = (self.tables, &self.options);
        let found = Found::read(tables, self.table, self.optimizations).await?;
        let tablets = &found.tablets;
        let counts_rows = options.rows.is_for(tablets);
        let progress = &mut self.progress;
        let verdict = found
            .verdict(tables, options, counts_rows, progress)
            .await?;
        if !counts_rows && verdict.is_hot() && options.rows.is_for_uneven(tablets) {
            return found.verdict(tables, options, true, progress).await;
        }
        Ok(verdict)
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
