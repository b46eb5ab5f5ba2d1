//! Plan, apply and verify on tables in memory.

#![cfg(test)]

mod drift;
mod even;
mod hot;
mod plan;
mod scene;
mod servers;
mod undo_pins_nothing;
mod without_groups;

use fluo_keys::{Plan, Verdict};
use fluo_table::balancer::group_balancers;
use fluo_table::{MemoryTables, TableAdmin, Versions};

const TABLE: &str = "pages";

fn sentences(verdict: &Verdict) -> Vec<String> {
    verdict.differences.iter().map(ToString::to_string).collect()
}

fn steps(plan: &Plan) -> Vec<String> {
    plan.steps().iter().map(ToString::to_string).collect()
}

/// Returns the group balancer that a plan sets.
fn group_balancer() -> String {
    group_balancers().next().unwrap().1
}

async fn table() -> MemoryTables {
    let tables = MemoryTables::new();
    tables.create_table(TABLE, Versions::default()).await.unwrap();
    tables
}

/// Returns the error of a saved plan in which the first occurrence of a text is replaced.
fn edited(json: &str, from: &str, to: &str) -> String {
    assert!(json.contains(from), "{from} is not in {json}");
    let plan: Plan = serde_json::from_str(&json.replacen(from, to, 1)).unwrap();
    plan.check().unwrap_err().to_string()
}

/// Asserts that a saved plan is rejected if the names of two properties are swapped.
fn assert_ordered(json: &str, one: &str, other: &str) {
    let name = |colon: &str, property: &str| format!("\"name\":{colon}\"{property}\"");
    let colon = if json.contains("\"name\": ") { " " } else { "" };
    let [one, other] = [one, other].map(|property| name(colon, property));
    let swapped =
        json.replacen(&one, "ONE", 1).replacen(&other, &one, 1).replacen("ONE", &other, 1);
    let error = serde_json::from_str::<Plan>(&swapped).unwrap().check().unwrap_err();
    let reason = "its properties are not in a safe order";
    assert_eq!(error.to_string(), format!("the plan was edited: {reason}; make a new one"));
}
