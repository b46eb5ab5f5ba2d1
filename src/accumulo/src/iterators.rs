//! The check that Fluo's iterators are built for the servers.
//!
//! The published jars (`fluo-accumulo` 1.2.0) use classes of Accumulo 1.x that are in another
//! package in 2.x. On 2.x each of their iterators loads, and works until it skips more than ten
//! entries of one column. Then it needs the missing class, and the error halts the tablet server.
//! So a successful class test proves nothing, and the check looks at more:
//!
//! | servers | setting | class `org.apache.fluo.accumulo.summarizer.FluoSummarizer` | transactions |
//! |---|---|---|---|
//! | 1.x | [`ForAccumulo1`](IteratorBuild::ForAccumulo1) | either | run |
//! | 1.x | [`ForAccumulo2`](IteratorBuild::ForAccumulo2) | either | refused: 1.x lacks classes |
//! | 2.x | `ForAccumulo1` | either | refused |
//! | 2.x | `ForAccumulo2` | loads, or the iterators are only in the class path of a table | run |
//! | 2.x | `ForAccumulo2` | does not load, but the iterators do | refused: jars of 1.2 |
//!
//! The jars of Fluo's main branch have that class, and the published ones do not. The class is
//! older than the build for 2.x: its absence proves a wrong jar, but its presence does not prove
//! the right one.

use fluo_table::{Error, Result};

use crate::error::port_error;
use crate::generation::{Generation, ITERATOR};
use crate::iterator_build::IteratorBuild;
use crate::tables::AccumuloTables;

const ANY_OF_FLUO: &str = "org.apache.fluo.accumulo.iterators.SnapshotIterator";
const NEWER_THAN_1_2: &str = "org.apache.fluo.accumulo.summarizer.FluoSummarizer";
const SUMMARIZER: &str = "org.apache.accumulo.core.client.summary.Summarizer";

impl AccumuloTables {
    /// Checks whether Fluo's iterators fit the servers. The result is cached, unless the check
    /// itself fails.
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
        let version = if generation.is_2() { "2.x" } else { "1.x" };
        Error::invalid(format!(
            "transactions are refused: {reason}; the servers behind {} run Accumulo {version} ({}); {remedy}",
            self.client.options().address(),
            generation.seen(),
        ))
    }
}

/// The reasons of refusals, with their remedies.
const NOT_STATED: (&str, &str) = (
    "Fluo's published iterators (fluo-accumulo 1.2.0) halt tablet servers of Accumulo 2.x, and no call can prove that \
     the servers have other ones",
    "put fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from the main branch of apache/fluo, on the class path of the \
     tablet servers, and then open the tables with `IteratorBuild::ForAccumulo2`",
);
const PUBLISHED: (&str, &str) = (
    "the iterators on the servers are those of fluo-accumulo 1.2 or older, which halt tablet servers of Accumulo 2.x \
     (`SnapshotIterator` loads and `FluoSummarizer` does not)",
    "replace them with fluo-accumulo and fluo-api 2.1.0-SNAPSHOT, built from the main branch of apache/fluo",
);
const STATED_FOR_2: (&str, &str) = (
    "iterators that are built for Accumulo 2.x need classes that 1.x lacks",
    "put fluo-accumulo and fluo-api 1.2.0 on the class path of the tablet servers, and open the tables with \
     `IteratorBuild::ForAccumulo1`",
);
