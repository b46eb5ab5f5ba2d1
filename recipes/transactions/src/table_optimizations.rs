//! The split points and groups that the recipes of an application request from its table.

use std::collections::BTreeMap;

use fluo_engine::{Bytes, Error, Result};
use fluo_keys::application::{OPTIMIZATIONS, ROW_HASHER_OPTIMIZER, stored_row_hasher};
use fluo_keys::{TableOptimizations, TableRequirement, java_quote};
use fluo_table::{Grouped, counted};

use crate::queue::{QueueKind, StoredQueue};

const MAX_TABLETS: u32 = 100_000;

/// Returns the split points and groups that the recipes of an application request, from its stored
/// settings, without the code of the application. Java applications store the same settings.
///
/// # Errors
///
/// [`Invalid`](fluo_engine::ErrorKind::Invalid) for a recipe that is not in this crate, for a
/// missing or a wrong setting, for a queue with more split points than a table should have, and for
/// recipes that overlap.
pub fn table_optimizations(settings: &BTreeMap<String, String>) -> Result<TableOptimizations> {
    let mut all = TableOptimizations::default();
    for (name, class) in settings {
        let Some(id) = name.strip_prefix(OPTIMIZATIONS) else {
            continue;
        };
        let requirements = match QueueKind::from_optimizer(class) {
            Some(kind) => queue_requirements(&StoredQueue::load(kind, id, settings)?)?,
            None if class == ROW_HASHER_OPTIMIZER => vec![stored_row_hasher(id, settings)?],
            None => {
                return Err(Error::invalid(format!(
                    "setting `{name}`: the split points of `{class}` are unknown; split by hand, and remove the \
                     setting"
                )));
            }
        };
        for requirement in requirements {
            all = all.merge(requirement.into())?;
        }
    }
    Ok(all)
}

/// Returns the requirements of a queue: its entries, the rows before those of an export queue,
/// which end a tablet, and its dead letters, which are few and have no tablet of their own. The
/// values and the updates of a combine queue have a group each.
fn queue_requirements(queue: &StoredQueue) -> Result<Vec<TableRequirement>> {
    let id = &queue.id;
    let tablets = queue.buckets.count().div_ceil(queue.buckets_per_tablet.get());
    if tablets > MAX_TABLETS {
        return Err(Error::invalid(format!(
            "the {queue} has {} in {}, and {} is the largest number; set more buckets per tablet",
            counted(queue.buckets.count(), "bucket"),
            counted(tablets, "tablet"),
            Grouped::new(MAX_TABLETS)
        )));
    }
    let builder =
        |title: String, prefix: Bytes| TableRequirement::builder(title).transient().prefix(prefix);
    let split = |part: &str| -> Vec<String> {
        let buckets = queue.buckets.split_texts(queue.buckets_per_tablet);
        buckets.chain(["~".to_owned()]).map(|end| format!("{id}:{part}{end}")).collect()
    };
    let entries = builder(format!("the {queue}"), format!("{id}:").into());
    let dead = builder(format!("the dead letters of the {queue}"), queue.dead_prefix());
    let mut requirements = Vec::new();
    match queue.kind {
        QueueKind::Combine => {
            let group = format!("{}[du]:", java_quote(&format!("{id}:")));
            let splits = [split("d:"), split("u:")].concat();
            requirements.push(entries.splits(splits).group_regex(group).build()?);
        }
        QueueKind::Export => {
            let before = builder(format!("the rows before the {queue}"), format!("{id}#").into());
            requirements.push(entries.splits(split("")).build()?);
            requirements.push(before.splits([format!("{id}#")]).without_group().build()?);
        }
    }
    requirements.push(dead.without_group().build()?);
    Ok(requirements)
}

#[cfg(test)]
mod tests {
    use fluo_engine::{Instance, InstanceExt, Recipe};
    use fluo_table::balancer::GroupPattern;

    use super::*;
    use crate::combine_queue::{CombineQueue, Sum};
    use crate::export_queue::ExportQueue;

    fn combine_queue(id: &str, buckets: u32) -> CombineQueue<String, u64> {
        CombineQueue::new(id, Sum).unwrap().buckets(buckets).unwrap()
    }

    fn export_queue(id: &str, buckets: u32) -> ExportQueue<String, u64> {
        ExportQueue::new(id).unwrap().buckets(buckets).unwrap()
    }

    fn settings(recipes: &[&dyn Recipe]) -> BTreeMap<String, String> {
        let application = Instance::in_memory().application("app");
        let add = |all: fluo_engine::ApplicationHandle, recipe: &&dyn Recipe| all.recipe(*recipe);
        recipes.iter().fold(application, add).settings()
    }

    fn of(recipes: &[&dyn Recipe]) -> TableOptimizations {
        table_optimizations(&settings(recipes)).unwrap()
    }

    fn splits(optimizations: &TableOptimizations) -> String {
        let splits = optimizations.splits();
        let texts: Vec<_> =
            splits.iter().map(|split| std::str::from_utf8(split).unwrap()).collect();
        texts.join(" ")
    }

    #[test]
    fn splits_as_fluo_recipes_does() {
        let per_tablet = |number: u32| number.try_into().unwrap();
        let foo = combine_queue("foo", 3).buckets_per_tablet(per_tablet(1));
        assert_eq!(splits(&of(&[&foo])), "foo:d:1 foo:d:2 foo:d:~ foo:u:1 foo:u:2 foo:u:~");
        let bar = combine_queue("bar", 6).buckets_per_tablet(per_tablet(2));
        assert_eq!(splits(&of(&[&bar])), "bar:d:2 bar:d:4 bar:d:~ bar:u:2 bar:u:4 bar:u:~");
        assert_eq!(splits(&of(&[&export_queue("eq1", 7)])), "eq1# eq1:~");
        let exports = export_queue("aeqt", 5).buckets_per_tablet(per_tablet(1));
        assert_eq!(splits(&of(&[&exports])), "aeqt# aeqt:1 aeqt:2 aeqt:3 aeqt:4 aeqt:~");
    }

    #[test]
    fn groups_as_fluo_recipes_does() {
        let all = of(&[
            &combine_queue("m1", 119),
            &combine_queue("m2", 3),
            &export_queue("eq1", 7),
            &export_queue("eq2", 3),
        ]);
        let pattern = all.group_pattern().unwrap();
        assert_eq!(pattern, r"(\Qeq1:\E|\Qeq2:\E|\Qm1:\E[du]:|\Qm2:\E[du]:).*");
        let pattern = GroupPattern::parse(&pattern).unwrap();
        let group = |row: &'static str| pattern.group_of(Some(row.as_bytes()));
        for (row, expected) in [
            ("m1:u:f0c", Some("m1:u:")),
            ("m1:d:f0c", Some("m1:d:")),
            ("m2:u:abc", Some("m2:u:")),
            ("m2:d:590", Some("m2:d:")),
            ("eq1:f0c", Some("eq1:")),
            ("eq2:f0c", Some("eq2:")),
            ("m3:d:590", None),
            ("eq3:f0c", None),
            ("eq1#", None),
        ] {
            assert_eq!(group(row).as_deref(), expected, "{row}");
        }
    }

    #[test]
    fn rejects_a_queue_with_too_many_tablets() {
        let settings = settings(&[&combine_queue("wc", 2_000_000)]);
        assert_eq!(
            table_optimizations(&settings).unwrap_err().to_string(),
            "the combine queue `wc` has 2,000,000 buckets in 200,000 tablets, and 100,000 is the largest number; set more \
             buckets per tablet"
        );
    }

    #[test]
    fn names_a_wrong_setting() {
        let message = |settings: &[(&str, &str)]| {
            let settings =
                settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            table_optimizations(&settings.collect()).unwrap_err().to_string()
        };
        let queue = ("recipes.optimizations.wc", QueueKind::Combine.names().optimizer);
        assert_eq!(
            message(&[queue]),
            "the setting `recipes.cfm.wc.buckets` is missing; set the number of buckets"
        );
        assert_eq!(
            message(&[queue, ("recipes.cfm.wc.buckets", "many")]),
            "the setting `recipes.cfm.wc.buckets` is `many`; set a positive number"
        );
        let unknown = message(&[("recipes.optimizations.x", "com.example.Mine")]);
        assert!(
            unknown
                .starts_with("setting `recipes.optimizations.x`: the split points of `com.example"),
            "{unknown}"
        );
        let hasher = message(&[("recipes.optimizations.p", ROW_HASHER_OPTIMIZER)]);
        assert!(hasher.contains("`recipes.rowHasher.p.numTablets` is missing"), "{hasher}");
    }
}
