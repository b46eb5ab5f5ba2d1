//! Where the tablets of each group are.

use std::collections::BTreeMap;

use fluo_core::{Result, Tablets};
use serde::Serialize;

use super::super::forecast::groups_of;

/// A group of tablets, and how many of them each server holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupVerdict {
    /// The group's name.
    pub group: String,
    /// How many tablets it has.
    pub tablets: usize,
    /// How many of them no server hosts.
    pub unhosted: usize,
    /// How many of them each server holds, servers without any included.
    pub per_server: BTreeMap<String, usize>,
    /// The smallest number on a server.
    pub least: usize,
    /// The mean number on a server.
    pub mean: f64,
    /// The largest number on a server.
    pub largest: usize,
}

pub(super) fn count(
    pattern: Option<&str>,
    tablets: &Tablets,
    servers: &[String],
) -> Result<Vec<GroupVerdict>> {
    let names = groups_of(
        pattern,
        tablets
            .as_slice()
            .iter()
            .map(|tablet| tablet.end_row.as_deref()),
    )?;
    let mut order = Vec::new();
    let mut groups: BTreeMap<&String, GroupVerdict> = BTreeMap::new();
    for (name, tablet) in names.iter().zip(tablets.as_slice()) {
        let group = groups.entry(name).or_insert_with(|| {
            order.push(name);
            GroupVerdict::empty(name, servers)
        });
        group.tablets += 1;
        match &tablet.server {
            Some(server) => *group.per_server.entry(server.clone()).or_default() += 1,
            None => group.unhosted += 1,
        }
    }
    Ok(order
        .into_iter()
        .filter_map(|name| groups.remove(name))
        .map(GroupVerdict::with_figures)
        .collect())
}

impl GroupVerdict {
    fn empty(name: &str, servers: &[String]) -> Self {
        Self {
            group: name.to_owned(),
            tablets: 0,
            unhosted: 0,
            per_server: servers.iter().map(|server| (server.clone(), 0)).collect(),
            least: 0,
            mean: 0.0,
            largest: 0,
        }
    }

    fn with_figures(mut self) -> Self {
        self.least = self.per_server.values().min().copied().unwrap_or_default();
        self.largest = self.per_server.values().max().copied().unwrap_or_default();
        self.mean = super::evenness::mean(self.per_server.values().sum(), self.per_server.len());
        self
    }

    /// Whether every tablet is hosted, and no server holds more than one tablet more than another.
    pub fn is_spread(&self) -> bool {
        self.unhosted == 0 && self.largest - self.least <= 1
    }

    pub(super) fn differences(&self) -> impl Iterator<Item = String> {
        let Self {
            group,
            tablets,
            unhosted,
            least,
            largest,
            ..
        } = self;
        let homeless = (*unhosted > 0)
            .then(|| format!("group `{group}`: {unhosted} of {tablets} tablets are on no server"));
        let uneven = (largest - least > 1).then(|| {
            format!("group `{group}`: a server holds {largest} of its {tablets} tablets, another {least}")
        });
        homeless.into_iter().chain(uneven)
    }
}
