//! A history of lists in the format of Elle and similar checkers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The transactions of the actors that append to lists: their begins and their ends, in the order
/// in which the actors observed them.
#[derive(Debug, Default)]
pub(super) struct Elle {
    events: Vec<Event>,
    last_number: u64,
    last_process: u64,
}

#[derive(Clone, Debug)]
struct Event {
    kind: Kind,
    /// Each transaction counts as a process of its own: some never end.
    process: u64,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Begun,
    Ended(Ended),
}

/// A step of a transaction on lists.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A list is read; what was seen, once it was.
    Read(&'static str, Option<Vec<u64>>),
    /// A number is appended.
    Append(&'static str, u64),
}

/// The outcome of a transaction, as its actor knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Committed,
    Failed,
    Uncertain,
}

impl Elle {
    /// A number that no list has.
    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Takes down that a transaction begins.
    pub(super) fn begin(&mut self, steps: &[Step]) -> u64 {
        self.last_process += 1;
        self.add(Kind::Begun, self.last_process, steps);
        self.last_process
    }

    pub(super) fn end(&mut self, process: u64, steps: &[Step], ended: Ended) {
        self.add(Kind::Ended(ended), process, steps);
    }

    fn add(&mut self, kind: Kind, process: u64, steps: &[Step]) {
        let steps = steps.to_vec();
        self.events.push(Event { kind, process, steps });
    }

    /// Returns the history with one event per line, given all numbers that the lists contain at the
    /// end. These show whether a transaction with an unknown outcome committed. Without them a
    /// checker would assume a commit at some time.
    pub(super) fn take(&mut self, numbers: &BTreeSet<u64>) -> String {
        let mut events = std::mem::take(&mut self.events);
        events.extend(never_ended(&events));
        let mut text = String::new();
        for (index, event) in events.iter().enumerate() {
            let kind = match event.kind {
                Kind::Begun => "invoke",
                Kind::Ended(Ended::Committed) => "ok",
                Kind::Ended(Ended::Uncertain) if event.is_there(numbers) => "info",
                Kind::Ended(Ended::Uncertain | Ended::Failed) => "fail",
            };
            let steps: Vec<String> = event.steps.iter().map(in_json).collect();
            let (process, steps) = (event.process, steps.join(","));
            // A string takes everything.
            let _ = writeln!(
                text,
                r#"{{"index":{index},"time":{index},"type":"{kind}","process":{process},"value":[{steps}]}}"#
            );
        }
        text
    }
}

impl Event {
    fn is_there(&self, numbers: &BTreeSet<u64>) -> bool {
        self.steps
            .iter()
            .any(|step| matches!(step, Step::Append(_, number) if numbers.contains(number)))
    }
}

/// The ends of those that were cut off.
fn never_ended(events: &[Event]) -> Vec<Event> {
    let mut open: BTreeMap<u64, &Event> = BTreeMap::new();
    for event in events {
        match event.kind {
            Kind::Begun => open.insert(event.process, event),
            Kind::Ended(_) => open.remove(&event.process),
        };
    }
    let end = |event: &Event| Event { kind: Kind::Ended(Ended::Uncertain), ..event.clone() };
    open.into_values().map(end).collect()
}

fn in_json(step: &Step) -> String {
    match step {
        Step::Read(list, None) => format!(r#"["r","{list}",null]"#),
        Step::Read(list, Some(seen)) => {
            let seen: Vec<String> = seen.iter().map(u64::to_string).collect();
            format!(r#"["r","{list}",[{}]]"#, seen.join(","))
        }
        Step::Append(list, number) => format!(r#"["append","{list}",{number}]"#),
    }
}
