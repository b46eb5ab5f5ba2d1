//! The guard before Fluo's iterators: the servers must be those that the iterators were built for.
//!
//! The published jars (`fluo-accumulo` 1.2.0) use classes of Accumulo 1.x that have another package in 2.x. Each of their
//! iterators loads there, and works until more than ten entries of one column are skipped. Then the class is looked for
//! and the error halts the tablet server. A successful class test therefore proves nothing. The guard also checks:
//!
//! | servers | client told | class `FluoSummarizer` | transactions |
//! |---|---|---|---|
//! | 1.x | [`ForAccumulo1`](IteratorBuild::ForAccumulo1) | either | run |
//! | 1.x | [`ForAccumulo2`](IteratorBuild::ForAccumulo2) | either | refused: such jars need classes that 1.x lacks |
//! | 2.x | `ForAccumulo1` | either | refused |
//! | 2.x | `ForAccumulo2` | loads, or the iterators are in a class path of the table alone | run |
//! | 2.x | `ForAccumulo2` | does not load, though the iterators do | refused: the jars are those of 1.2 |
//!
//! The jars of Fluo's main branch have that class and the published ones do not. It came before the build for 2.x, so
//! its absence proves a wrong jar, and its presence does not prove a right one.

use std::sync::Arc;

use fluo_core::{Error, Result};
use tokio::sync::OnceCell;

use crate::error::port_error;
use crate::generation::{Generation, ITERATOR};
use crate::tables::AccumuloTables;

const ANY_OF_FLUO: &str = "org.apache.fluo.accumulo.iterators.SnapshotIterator";
const NEWER_THAN_1_2: &str = "org.apache.fluo.accumulo.summarizer.FluoSummarizer";
const SUMMARIZER: &str = "org.apache.accumulo.core.client.summary.Summarizer";

/// The build of Fluo's iterators that the operator of a cluster put on the class path of its tablet servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IteratorBuild {
    /// For Accumulo 1.x: the published jars `fluo-accumulo` and `fluo-api` 1.2.0.
    #[default]
    ForAccumulo1,
    /// For Accumulo 2.x: `fluo-accumulo` and `fluo-api` 2.1.0-SNAPSHOT, built by hand from the main branch of
    /// `apache/fluo`. They are not published.
    ForAccumulo2,
}

/// The answer of the guard, asked for once.
pub(crate) type Readiness = Arc<OnceCell<Result<()>>>;

impl AccumuloTables {
    /// Checks whether Fluo's iterators fit the servers. An answer is kept; a failure to ask is not.
    pub(crate) async fn require_iterators(&self) -> Result<()> {
        let answer = self.readiness.get_or_try_init(|| self.judge());
        answer.await?.clone()
    }

    async fn judge(&self) -> Result<Result<()>> {
        let generation = Generation::observe(&self.client).await?;
        Ok(match (generation.is_2(), self.iterator_build) {
            (false, IteratorBuild::ForAccumulo1) => Ok(()),
            (false, IteratorBuild::ForAccumulo2) => Err(self.refusal(&generation, STATED_FOR_2)),
            (true, IteratorBuild::ForAccumulo1) => Err(self.refusal(&generation, NOT_STATED)),
            (true, IteratorBuild::ForAccumulo2) if self.has_published_jars().await? => {
                Err(self.refusal(&generation, PUBLISHED))
            }
            (true, IteratorBuild::ForAccumulo2) => Ok(()),
        })
    }

    async fn has_published_jars(&self) -> Result<bool> {
        let loads = async |class, as_type| {
            let instance = self.client.instance_operations();
            let loads = instance.test_class_load(class, as_type).await;
            loads.map_err(port_error)
        };
        Ok(loads(ANY_OF_FLUO, ITERATOR).await? && !loads(NEWER_THAN_1_2, SUMMARIZER).await?)
    }

    fn refusal(&self, generation: &Generation, (reason, remedy): (&str, &str)) -> Error {
        let version = match generation.is_2() {
            true => "2.x",
            false => "1.x",
        };
        Error::invalid(format!(
            "transactions are refused: {reason}; the servers behind {} are of Accumulo {version} ({}); {remedy}",
            self.client.options().address(),
            generation.seen(),
        ))
    }
}

/// The reasons of refusals, with their remedies.
const NOT_STATED: (&str, &str) = (
    "Fluo's published iterators (fluo-accumulo 1.2.0) halt tablet servers of Accumulo 2.x, and no call tells for certain \
     that the servers have others",
    "put fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from the main branch of apache/fluo, on the class path of the \
     tablet servers, and then open the tables with `IteratorBuild::ForAccumulo2`",
);
const PUBLISHED: (&str, &str) = (
    "the iterators on the servers are those of fluo-accumulo 1.2 or older, which halt tablet servers of Accumulo 2.x \
     (`SnapshotIterator` loads and `FluoSummarizer` does not)",
    "replace them by fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from the main branch of apache/fluo",
);
const STATED_FOR_2: (&str, &str) = (
    "iterators that are built for Accumulo 2.x need classes that 1.x lacks",
    "put fluo-accumulo and fluo-api 1.2.0 on the class path of the tablet servers, and open the tables with \
     `IteratorBuild::ForAccumulo1`",
);
