//! Advice: the ranked designs, the decision, and the spec file.
//!
//! # Choice of a design
//!
//! 1. A design is rejected if the keys cannot have it, or if it makes a requested read impossible.
//!    A design that supports only some prefixes or ranges is rejected too, because the prefixes and
//!    ranges of the application are unknown.
//! 2. A design is rejected if it is uneven. The fullest tablet takes more than 1.5 times the mean,
//!    and by more than a sample or chance explains (four standard deviations of a Poisson count,
//!    and four), or by one salted part alone, or by the way in which the design divides its salts.
//!    Or one tablet takes more than twice its share of the newest twentieth of the keys. Chance is
//!    counted in salted parts, because keys that share one are placed once.
//! 3. Of the other designs, the best is the one with the fewest pieces of the requested reads and
//!    of a read of one row together. A design with salts for fewer tablets than wanted comes after
//!    all that have enough.
//! 4. Of several such designs, the first in this order is the best: no salt, the row hasher,
//!    digests from wide to narrow, designs that keep a domain or an entity together, reversed, a
//!    modulus, a random salt. Keys without a salt have each scan in one piece. Wide salts allow
//!    more tablets later with the same keys.
//!
//! A random salt is not advised if rows are read one by one: a read looks for each in every piece.
//!
//! Keys and tables that already have designs keep them, in the tablets of the table: a second salt
//! would make keys longer, and removing one would change the whole table. A table that is split for
//! plain rows that are spread evenly is kept, too. Keys that may be salted, by a design that is
//! neither recognized nor named, are not taken for plain rows: the spec does not move them.
//!
//! The advice names the least bad design if each one is uneven, has a hot end, or overloads a
//! server (more than 1.5 times its share). The fullest server of the least bad design has the
//! smallest share of all keys or of the newest, whichever is larger. Of equal designs, the fullest
//! tablet has the smallest share. Tablets are divided evenly among the servers.

mod evenness;
mod fault;
mod kept;
mod options;
mod ranked_design;
mod report;

pub use self::fault::Fault;
pub use self::options::{AdviceOptions, Read};
pub use self::ranked_design::{RankedDesign, RejectedKeys, Suitability};
pub use self::report::{AdvisedDesign, AdvisedSpec, AdvisorReport, Decision};

use fluo_keys::{DesignSettings, KeyDesign, Unsalted};
use fluo_table::Result;

use crate::existing::Existing;
use crate::{Candidate, KeyProfile};

/// Tries the designs that suit the keys, then those of the options, and advises. If keys already
/// have designs, tries those on the rows without their salts, and then those of the options.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::advised_tablets`].
pub fn advise(profile: KeyProfile, options: &AdviceOptions) -> Result<AdvisorReport> {
    let tablets = options.advised_tablets()?;
    let also = options.also.iter();
    let named: Vec<_> =
        also.filter_map(|also| KeyDesign::new(also.settings.clone()).ok()).collect();
    let existing = Existing::new(&profile, options.table.as_ref(), &named);
    if !existing.designs.is_empty() {
        return Ok(kept::report(profile, existing, options));
    }
    let splits = options.kept_table().map(|table| &table.splits);
    let splits = splits.filter(|splits| !splits.is_empty());
    let as_it_is = splits.map(|splits| {
        Candidate::with_split_points("unsalted, as the table is", Unsalted {}, splits)
    });
    let suiting = Candidate::all_for(&profile, tablets);
    let candidates = as_it_is.into_iter().chain(suiting).chain(options.also.clone());
    let judged = |candidate: Candidate| {
        let wanted = candidate.split_points.is_none().then_some(tablets);
        RankedDesign::new(&profile, candidate, options, wanted)
    };
    let mut designs: Vec<_> = candidates.map(judged).collect();
    report::rank(&mut designs, options);
    let best = designs.first_mut().filter(|_| profile.keys > 0);
    let decide = |best| report::decide(best, options.servers);
    let decision = best.map_or(Decision::NoDesign, decide);
    let advised = designs.first().filter(|_| decision != Decision::NoDesign);
    let is_salt =
        |design: &RankedDesign| !matches!(design.candidate.settings, DesignSettings::Unsalted(_));
    let may_be_salted = advised.is_some_and(is_salt) && options.may_be_salted(&profile);
    Ok(AdvisorReport {
        decision,
        tablets: advised.map_or(tablets, |design| design.candidate.tablets),
        existing: Vec::new(),
        others: None,
        may_be_salted,
        spec: advised.map(|design| AdvisedSpec {
            key_design: vec![AdvisedDesign {
                layout: design.layout(),
                settings: design.candidate.settings.clone(),
                before: match may_be_salted {
                    true => Vec::new(),
                    false => options.before(&design.candidate.settings),
                },
            }],
        }),
        profile,
        designs,
    })
}
