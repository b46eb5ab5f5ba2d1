//! T10 and T11: the conditions and the outcomes of a conditional write.

use std::slice;
use std::sync::Arc;

use fluo_table::{
    Column, Condition, ConditionalMutation, ErrorKind, Mutation, Outcome, Scan, Span, Table,
    TableAdmin, Versions,
};

use super::ground::{Ground, cell, column, unused_name};

/// Checks T10: a condition compares the newest visible version of its own column, or the version at
/// its timestamp, byte by byte.
pub async fn t10_a_condition_checks_its_column(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::All).await;
    let row = Mutation::new("r")
        .put_at(column("q"), 3, "new")
        .put_at(column("q"), 1, "old")
        .put_at(column("empty"), 1, "")
        .put_at(column("gone"), 1, "v")
        .delete_at(column("gone"), 1)
        .put_at(column("again"), 1, "v")
        .delete_at(column("again"), 1)
        .put_at(column("again"), 2, "w")
        .put_at(column("q").with_visibility("A"), 4, "marked");
    let neighbor = Mutation::new("r\0").put_at(column("next"), 1, "v");
    let other_family = Mutation::new("r").put_at(Column::new("g", "none"), 1, "v");
    ground.write(vec![row, neighbor, other_family]).await;

    let value = |qualifier, value: &'static str| Condition::value(column(qualifier), value);
    let absent = |qualifier| Condition::absent(column(qualifier));
    let cases = [
        (value("q", "new"), true),
        (value("q", "old"), false),
        (value("q", "ne"), false),
        (value("q", "new\0"), false),
        (value("q", ""), false),
        (absent("q"), false),
        (value("q", "old").at(1), true),
        (value("q", "new").at(1), false),
        (value("q", "new").at(3), true),
        (absent("q").at(2), true),
        (value("q", "old").at(2), false),
        (absent("q").at(3), false),
        (value("empty", ""), true),
        (absent("empty"), false),
        (value("none", ""), false),
        (absent("none"), true),
        (absent("q\0"), true),
        (absent(""), true),
        (absent("next"), true),
        (absent("gone"), true),
        (value("gone", "v"), false),
        (absent("gone").at(1), true),
        (value("again", "w"), true),
        (absent("again").at(1), true),
    ];
    for (condition, expected) in cases {
        assert_eq!(
            holds(&*ground.table, "r", slice::from_ref(&condition)).await,
            expected,
            "{condition:?}"
        );
    }
    assert!(holds(&*ground.table, "never written", &[absent("q")]).await);
    assert!(!holds(&*ground.table, "never written", &[value("q", "")]).await);

    let pairs = [
        ([value("q", "new"), value("empty", "")], true),
        ([value("q", "new"), absent("empty")], false),
        ([absent("q"), value("empty", "")], false),
        ([value("q", "new").at(3), value("q", "old").at(1)], true),
        ([value("q", "new"), absent("q").at(9)], true),
    ];
    for (pair, expected) in pairs {
        assert_eq!(holds(&*ground.table, "r", &pair).await, expected, "{pair:?}");
    }
}

/// Checks T10: a condition sees the versions that the table shows, and no older ones.
pub async fn t10_a_condition_sees_the_versions_of_the_table(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let row = Mutation::new("r").put_at(column("q"), 1, "old").put_at(column("q"), 2, "new");
    ground.write(vec![row]).await;
    let value = |value: &'static str| Condition::value(column("q"), value);
    assert!(holds(&*ground.table, "r", &[value("new").at(2)]).await);
    assert!(!holds(&*ground.table, "r", &[value("old").at(1)]).await);
    assert!(holds(&*ground.table, "r", &[Condition::absent(column("q")).at(1)]).await);
}

/// Checks T10: a condition sees the cells that its handle may see, and is rejected on a column that
/// the handle may not see. Columns with different visibilities are different columns.
pub async fn t10_a_condition_sees_the_cells_of_its_handle(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let seer = ground.reader(&["A"]).await;
    let marked = column("q").with_visibility("A");
    ground.write(vec![Mutation::new("r").put(marked.clone(), "marked")]).await;

    let has_value = [Condition::value(marked.clone(), "marked")];
    let is_absent = [Condition::absent(marked.clone())];
    assert!(holds(&*seer, "r", &has_value).await);
    assert!(!holds(&*seer, "r", &is_absent).await);
    for unseen in [has_value, is_absent] {
        let [condition] = unseen;
        let guarded = Mutation::new("r").put(column("probe"), "v").when(condition);
        let error = ground.table.write_conditional(vec![guarded]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
    }

    let other = column("q").with_visibility("A|B");
    for unmarked in [column("q"), other] {
        assert!(holds(&*seer, "r", &[Condition::absent(unmarked)]).await);
    }
}

/// Checks whether conditions hold, by the outcome of a mutation that they guard. Each mutation
/// writes a column of its own.
async fn holds(table: &dyn Table, row: &'static str, conditions: &[Condition]) -> bool {
    let probe = Column::new("probe", unused_name());
    let mutation = Mutation::new(row).put(probe.clone(), "v");
    let conditions = conditions.to_vec();
    let guarded = ConditionalMutation { mutation, conditions };
    let outcomes = table.write_conditional(vec![guarded]).await.unwrap();
    let is_written = table.get(row, &probe).await.unwrap().is_some();
    match outcomes[..] {
        [Outcome::Accepted] => assert!(is_written, "accepted, but not written"),
        [Outcome::Rejected] => assert!(!is_written, "rejected, but written"),
        _ => panic!("{outcomes:?}"),
    }
    is_written
}

/// Checks T11: a call returns an outcome for each mutation, in their order. Mutations of one row
/// see each other.
pub async fn t11_there_is_an_outcome_for_each_mutation_in_order(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    let taken =
        (0..200_u8).step_by(3).map(|n| Mutation::new(vec![n]).put_at(column("q"), 1, "taken"));
    ground.write(taken.collect()).await;

    // The rows are not in the order of the table.
    let rows: Vec<u8> = (0..200_u8).map(|n| 199 - n).collect();
    let claim = |row: &u8| {
        let put = Mutation::new(vec![*row]).put_at(column("q"), 2, "claimed");
        put.when(Condition::absent(column("q")))
    };
    let outcomes = ground.table.write_conditional(rows.iter().map(claim).collect()).await.unwrap();
    assert_eq!(outcomes.len(), rows.len());
    for (row, outcome) in rows.iter().zip(&outcomes) {
        let expected = if row % 3 == 0 { outcome.is_rejected() } else { outcome.is_accepted() };
        assert!(expected, "row {row}: {outcome:?}");
    }
    let cells = ground.all().await;
    assert_eq!(cells.len(), 200);
    for (n, cell) in cells.iter().enumerate() {
        let expected = if n % 3 == 0 { "taken" } else { "claimed" };
        assert_eq!(cell.value, expected, "{}", cell.key);
    }

    let step = |from: &'static str, to: &'static str| {
        let put = Mutation::new("steps").put_at(column("q"), 1, to);
        put.when(Condition::value(column("q"), from))
    };
    let first = Mutation::new("steps").put_at(column("q"), 1, "1");
    let first = || first.clone().when(Condition::absent(column("q")));
    let calls =
        vec![step("1", "2"), first(), first(), step("1", "2"), step("1", "3"), step("2", "4")];
    let outcomes = ground.table.write_conditional(calls).await.unwrap();
    let accepted: Vec<_> = outcomes.iter().map(Outcome::is_accepted).collect();
    assert_eq!(accepted, [false, true, false, true, false, true], "{outcomes:?}");
    let steps = ground.read(Scan::over(Span::row("steps"))).await;
    assert_eq!(steps, [cell("steps", "q", 1, "4")]);
}

/// Checks T11: a call without mutations has no effect and no outcomes.
pub async fn t11_a_call_without_mutations_has_no_outcomes(tables: Arc<dyn TableAdmin>) {
    let ground = Ground::new(&tables, Versions::default()).await;
    ground.write(vec![]).await;
    let outcomes = ground.table.write_conditional(vec![]).await.unwrap();
    assert!(outcomes.is_empty(), "{outcomes:?}");
    assert_eq!(ground.all().await, []);
}
