//! The call that optimizes a table.

use std::pin::Pin;
use std::time::Duration;

use fluo_keys::{Plan, TableOptimizations};
use fluo_table::{Instance, Result};

/// The limit of the wait for the balancer, if no other is set.
const LIMIT: Duration = Duration::from_secs(300);

/// A call of [`Fluo::optimize`](crate::Fluo::optimize): its options, and the call itself when it is
/// awaited. It plans the steps, applies them, and waits until the balancer has moved the tablets.
///
/// [`plan`](Self::plan) returns the steps instead, and changes nothing.
///
/// # Examples
///
/// ```
/// use fluo::{Fluo, RowHasher};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> fluo::Result<()> {
/// let fluo = Fluo::in_memory();
/// fluo.create_table("pages").await?;
/// let optimizations = RowHasher::new("p")?.table_optimizations(4)?;
///
/// assert_eq!(fluo.optimize("pages", &optimizations).plan().await?.splits_to_add.len(), 4);
/// fluo.optimize("pages", &optimizations).await?;
/// assert!(fluo.optimize("pages", &optimizations).plan().await?.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a table is optimized when this is awaited"]
pub struct Optimize<'a> {
    instance: &'a Instance,
    table: &'a str,
    optimizations: &'a TableOptimizations,
    prune: bool,
    limit: Duration,
}

impl<'a> Optimize<'a> {
    pub(crate) fn new(
        instance: &'a Instance,
        table: &'a str,
        optimizations: &'a TableOptimizations,
    ) -> Self {
        Self { instance, table, optimizations, prune: false, limit: LIMIT }
    }

    /// Sets whether split points that no recipe requests are removed. Default: no.
    pub fn prune(self, prune: bool) -> Self {
        Self { prune, ..self }
    }

    /// Sets the maximum time to wait for the balancer. Tablets that have not moved by then are no
    /// error: [`Fluo::verify`](crate::Fluo::verify) reports them. Default: 5 minutes.
    pub fn limit(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Returns the steps that the call would take, and changes nothing.
    ///
    /// # Errors
    ///
    /// Those of [`TableOptimizations::plan`].
    pub async fn plan(&self) -> Result<Plan> {
        self.optimizations.plan(self.instance, self.table).prune(self.prune).await
    }
}

impl<'a> IntoFuture for Optimize<'a> {
    type Output = Result<()>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let plan = self.plan().await?;
            plan.apply(self.instance).await?;
            let wait = plan.wait_until_balanced(self.instance, tokio::time::sleep);
            wait.limit(self.limit).await?;
            Ok(())
        })
    }
}
