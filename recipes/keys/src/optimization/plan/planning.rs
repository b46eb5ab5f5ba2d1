//! The call that makes a plan: [`TableOptimizations::plan`].

use fluo_table::{Result, TableAdmin};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::Plan;
use crate::optimization::TableOptimizations;
use crate::optimization::balancer::{pattern_of, unrequested_properties, wanted_properties};
use crate::optimization::table_state::TableState;

/// A call of [`TableOptimizations::plan`]: its options, and the call itself when it is awaited.
#[derive(Clone, Debug)]
#[must_use = "a plan is made when this is awaited"]
pub struct Planning<'a> {
    optimizations: &'a TableOptimizations,
    tables: &'a dyn TableAdmin,
    table: &'a str,
    prune: bool,
}

impl TableOptimizations {
    /// Compares the optimizations with a live table, and returns the steps that would bring them to
    /// it. Writes nothing.
    ///
    /// Await the returned value, after [`prune`](Planning::prune) if needed.
    ///
    /// # Errors
    ///
    /// [`NotFound`](fluo_table::ErrorKind::NotFound) if the table does not exist;
    /// [`Invalid`](fluo_table::ErrorKind::Invalid) if the optimizations ask for nothing;
    /// [`Unavailable`](fluo_table::ErrorKind::Unavailable) if the servers load no group balancer;
    /// and the errors of the port.
    pub fn plan<'a>(&'a self, tables: &'a dyn TableAdmin, table: &'a str) -> Planning<'a> {
        Planning { optimizations: self, tables, table, prune: false }
    }
}

impl Planning<'_> {
    /// Sets whether the plan removes split points that no recipe asks for and, if no recipe has a
    /// group, the properties that earlier groups have left. Default: no.
    pub fn prune(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    async fn run(self) -> Result<Plan> {
        let Self { optimizations, tables, table, prune } = self;
        let found = TableState::read(tables, table).await?;
        let wanted = wanted_properties(tables, table, optimizations).await?;
        let unrequested = match pattern_of(optimizations)? {
            Some(_) => None,
            None => Some(unrequested_properties(tables, table, &found.properties).await?),
        };
        let servers = tables.servers().await?.len();
        let plan = Plan::between(table, found, optimizations, wanted, prune);
        match unrequested {
            None => plan,
            Some(unrequested) => plan.without_groups(unrequested, prune),
        }
        .with_forecast(servers)
    }
}

impl<'a> IntoFuture for Planning<'a> {
    type Output = Result<Plan>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().boxed()
    }
}
