//! The load of the servers.
//!
//! The servers share the table, whatever its contents. There are two reasons why a server can have
//! too much. If tablets are uneven or on the wrong servers, a server has more than the recipes
//! expect by design. If a recipe has fewer tablets than there are servers, the design itself makes
//! some servers hot.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::super::TableRequirement;
use super::by_design::ByDesign;
use super::census::Census;
use super::difference::{Difference, DifferenceKind};
use super::groups::GroupVerdict;
use super::load::{Load, LoadStanding};
use super::look::Look;
use super::rows::RowsVerdict;
use super::scale::Whole;
use super::sentences;
use crate::number::{count, counted, float, share};

/// The load of servers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerLoad {
    /// The figures, without the rows of tablets that no server hosts, and without
    /// [transient](crate::TableRequirementBuilder::transient) rows unless there are no others.
    #[serde(flatten)]
    pub load: Load,
    /// The fullest server, or `None` if all are empty.
    pub fullest: Option<String>,
    /// The number on each server by these rules, including servers without any.
    pub per_server: BTreeMap<String, u64>,
    /// The number in tablets that no server hosts.
    pub unhosted: u64,
    /// The recipe that cannot be spread, if this is the reason why the fullest server is too full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub narrow: Option<NarrowRecipe>,
}

/// A recipe with fewer tablets than there are servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NarrowRecipe {
    /// The recipe.
    pub recipe: String,
    /// The number of tablets that the optimizations request for its rows.
    pub tablets: usize,
    /// `true` if the optimizations request fewer tablets than there are servers for all contents of
    /// the table, and one planned tablet explains the load of the fullest server.
    pub by_design: bool,
}

/// The load of the servers that the recipes expect.
#[derive(Debug, Default)]
struct Expected {
    /// The largest share that a server could have, from 0 to 1.
    share: f64,
    /// The largest expected share of a tablet.
    of_a_tablet: f64,
    /// The number of tablets that recipes with rows request, and of those that hold rows of no
    /// recipe.
    tablets: usize,
    /// The largest recipe with fewer tablets than there are servers, and the number of its tablets.
    narrow: Option<(String, usize)>,
}

impl Expected {
    /// Adds up the recipes that have rows, and the rows of no recipe.
    fn of(look: &Look<'_>, census: &Census, servers: usize) -> Self {
        let mut expected = Self::default();
        let (mut all, mut most_rows) = (0.0, 0);
        let recipes = look.optimizations.requirements().iter().zip(&census.rows);
        let is_included = |(requirement, rows): &(&TableRequirement, &RowsVerdict)| {
            look.includes(requirement) && rows.total > 0
        };
        for (requirement, rows) in recipes.filter(is_included) {
            let design = ByDesign::of(requirement);
            let (tablets, count) = (design.tablets(), float(rows.total));
            all += count;
            expected.share += count * design.on_a_server(servers);
            expected.of_a_tablet = expected
                .of_a_tablet
                .max(count * design.on_a_server(tablets));
            expected.tablets += tablets;
            if tablets < servers && rows.total > most_rows {
                most_rows = rows.total;
                expected.narrow = Some((rows.recipe.clone(), tablets));
            }
        }
        let others = float(census.others.iter().sum());
        let places = look.places(&census.included).max(1);
        let most_others = census.others.iter().max().copied().unwrap_or_default();
        all += others;
        expected.share += others * share(count(places.div_ceil(servers)), count(places));
        expected.of_a_tablet = expected.of_a_tablet.max(float(most_others));
        expected.tablets += census.others.iter().filter(|count| **count > 0).count();
        if all > 0.0 {
            expected.share /= all;
            expected.of_a_tablet /= all;
        }
        expected
    }
}

impl ServerLoad {
    /// Adds up the contents of the tablets of each server.
    pub(super) fn new(look: &Look<'_>, census: &Census) -> Self {
        let servers = look.servers.iter();
        let mut per_server: BTreeMap<_, _> = servers.map(|server| (server.clone(), 0)).collect();
        let mut unhosted = 0;
        for (tablet, rows) in look.with_counts(&census.included) {
            match &tablet.server {
                Some(server) => *per_server.entry(server.clone()).or_default() += rows,
                None => unhosted += rows,
            }
        }
        let whole = Whole {
            places: per_server.len(),
            total: per_server.values().sum(),
        };
        let expected = Expected::of(look, census, whole.places.max(1));
        let mut fullest: Option<(&String, u64)> = None;
        for (server, count) in &per_server {
            if *count > fullest.map_or(0, |(_, most)| most) {
                fullest = Some((server, *count));
            }
        }
        let largest = fullest.map_or(0, |(_, count)| count);
        let even = whole.even_share();
        let by_design = expected.share.max(even);
        let judge = |share| look.scale.judge(whole, share, share, largest);
        let standing = judge(by_design);
        let is_narrow = standing != LoadStanding::TooFull && judge(even) == LoadStanding::TooFull;
        let is_one_tablet_each = expected.tablets < whole.places
            && judge(expected.of_a_tablet.max(even)) != LoadStanding::TooFull;
        let narrow = expected.narrow.filter(|_| is_narrow);
        let narrow = narrow.map(|(recipe, tablets)| NarrowRecipe {
            recipe,
            tablets,
            by_design: is_one_tablet_each,
        });
        let (by_design, standing) = match &narrow {
            _ if !look.compares() => (by_design, LoadStanding::NotCompared),
            Some(_) => (even, LoadStanding::TooFull),
            None => (by_design, standing),
        };
        Self {
            load: look.scale.load(whole, largest, even, by_design, standing),
            fullest: fullest.map(|(server, _)| server.clone()),
            unhosted,
            narrow,
            per_server,
        }
    }

    /// Returns the recipe that makes a server too full because the whole table has fewer planned
    /// tablets than there are servers.
    pub fn hot_by_design(&self) -> Option<&NarrowRecipe> {
        self.narrow.as_ref().filter(|narrow| narrow.by_design)
    }

    /// Checks whether a server is too full for another reason than the number of tablets of the
    /// whole table.
    pub(super) fn is_too_full(&self) -> bool {
        self.load.is_too_full() && self.hot_by_design().is_none()
    }

    /// Returns the sentence about the fullest server, with this unit.
    pub(super) fn sentence(&self, unit: &str) -> Option<String> {
        let place = format!("server {}", self.fullest.as_ref()?);
        let sentence = sentences::too_full_of(&place, unit, &self.load, "server");
        let servers = || counted(self.per_server.len(), "server");
        Some(match &self.narrow {
            None => sentence,
            Some(NarrowRecipe {
                recipe, tablets, ..
            }) => format!(
                "{sentence}; {recipe} has {} for {}, so it cannot spread over all of them",
                counted(*tablets, "planned tablet"),
                servers()
            ),
        })
    }

    /// Checks whether the fullest server is too full only because it has more tablets of a group
    /// than others.
    ///
    /// `names` are the groups of the tablets.
    pub(super) fn is_explained_by(
        &self,
        groups: &[GroupVerdict],
        names: &[String],
        look: &Look<'_>,
        census: &Census,
    ) -> bool {
        let Some(server) = &self.fullest else {
            return false;
        };
        let mut held: HashMap<&str, u64> = HashMap::new();
        for (name, (tablet, rows)) in names.iter().zip(look.with_counts(&census.included)) {
            if tablet.server.as_ref() == Some(server) {
                *held.entry(name).or_default() += rows;
            }
        }
        let surplus = groups
            .iter()
            .filter(|group| !group.is_spread())
            .map(|group| {
                let tablets = group.per_server.get(server).copied().unwrap_or_default();
                let rows = held.get(group.group.as_str()).copied().unwrap_or_default();
                let most = group.tablets.div_ceil(group.per_server.len().max(1));
                let part = share(count(tablets.saturating_sub(most)), count(tablets));
                float(rows) * part
            });
        let Load {
            total,
            share,
            limit,
            ..
        } = self.load;
        float(self.load.largest) - surplus.sum::<f64>() <= float(total) * share * limit
    }

    pub(super) fn finding(&self, counts_rows: bool) -> Option<Difference> {
        if !self.is_too_full() {
            return None;
        }
        let sentence = self.sentence(sentences::unit(counts_rows))? + sentences::hint(counts_rows);
        Some(self.difference(sentence))
    }

    /// Returns the difference about the fullest server.
    pub(super) fn difference(&self, sentence: String) -> Difference {
        let subject = format!("server {}", self.fullest.as_deref().unwrap_or_default());
        let share = self.load.excess();
        Difference::new(DifferenceKind::ServerLoad, subject, share, sentence).of_load(&self.load)
    }
}
