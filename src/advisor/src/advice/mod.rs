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
//! plain rows that are spread evenly is kept, too. If all designs are rejected, the advice names
//! the one whose fullest tablet is the least full, and states that it is not good.

mod evenness;
mod fault;
mod kept;
mod options;
mod ranked_design;
mod report;

pub use self::fault::Fault;
pub use self::options::{AdviceOptions, Read};
pub use self::ranked_design::{RankedDesign, Suitability};
pub use self::report::{AdvisorReport, Decision};

use fluo_keys::Unsalted;

use self::ranked_design::Tried;
use crate::error::AdvisorError;
use crate::existing::{Existing, ExistingTable};
use crate::{Candidate, DesignForecast, KeyProfile, ProfileBuilder, ProfileOptions};

/// Tries the designs that suit the keys, and advises.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::advised_tablets`].
pub fn advise(profile: KeyProfile, options: &AdviceOptions) -> Result<AdvisorReport, AdvisorError> {
    advise_with(profile, Vec::new(), options)
}

/// Tries the designs that suit the keys, then these, and advises. If keys already have designs,
/// those are tried on the rows without their salts, and then these.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::advised_tablets`].
pub fn advise_with(
    profile: KeyProfile,
    own: Vec<Candidate>,
    options: &AdviceOptions,
) -> Result<AdvisorReport, AdvisorError> {
    let tablets = options.advised_tablets()?;
    let existing = Existing::new(&profile, options.table.as_ref());
    if !existing.designs.is_empty() {
        return Ok(keep(profile, existing, own, options));
    }
    let table = options.table.as_ref().filter(|_| !options.is_for_others());
    let suiting = Candidate::all_for(&profile, tablets);
    let candidates = table.and_then(plain_rows).into_iter().chain(suiting);
    advise_among(profile, candidates.chain(own).collect(), options)
}

/// Tries only these designs, on the keys as they are, and advises one of them.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::advised_tablets`].
pub fn advise_among(
    profile: KeyProfile,
    candidates: Vec<Candidate>,
    options: &AdviceOptions,
) -> Result<AdvisorReport, AdvisorError> {
    let tablets = options.advised_tablets()?;
    let judged = |candidate: Candidate| {
        let tried = match candidate.split_points {
            Some(_) => Tried::AsItIs,
            None => Tried::In(tablets),
        };
        let forecast = DesignForecast::new(&profile, candidate);
        RankedDesign::new(&profile, forecast, options, tried)
    };
    let designs = candidates.into_iter().map(judged).collect();
    Ok(AdvisorReport::ranked(profile, designs, tablets, options))
}

/// Returns the candidate of a table of plain rows with its present split points; `None` if the
/// table is not split.
fn plain_rows(table: &ExistingTable) -> Option<Candidate> {
    let label = "unsalted, as the table is";
    let is_split = !table.splits.is_empty();
    is_split.then(|| Candidate::with_split_points(label, Unsalted {}, &table.splits))
}

/// Advises to keep the designs of keys or of a table.
fn keep(
    profile: KeyProfile,
    existing: Existing,
    own: Vec<Candidate>,
    options: &AdviceOptions,
) -> AdvisorReport {
    let kept = existing.designs.iter().zip(&existing.rows);
    let kept = kept.map(|(design, rows)| {
        let forecast = DesignForecast::new(rows, kept::candidate(design, options));
        RankedDesign::new(rows, forecast, options, Tried::AsItIs)
    });
    let mut report = AdvisorReport::kept(existing.designs.clone(), kept.collect(), options);
    if !own.is_empty() {
        let rows = all_rows(&profile, &existing.rows);
        let wanted = Tried::In(report.tablets);
        report.designs.extend(own.into_iter().map(|candidate| {
            let forecast = DesignForecast::new(&rows, candidate);
            RankedDesign::new(&rows, forecast, options, wanted)
        }));
    }
    report.spec = report.spec.filter(|_| !existing.has_other_groups);
    report.others = existing.others;
    report.decide_on_others();
    AdvisorReport { profile, ..report }
}

/// Returns the rows of all designs, without their salts.
fn all_rows(profile: &KeyProfile, of_designs: &[KeyProfile]) -> KeyProfile {
    let options = ProfileOptions::new().seed(profile.sample.seed);
    let mut builder = ProfileBuilder::new(options.arrivals(profile.order.arrivals));
    let rows = of_designs.iter().flat_map(|rows| &rows.sample.keys);
    rows.for_each(|sampled| builder.push(&sampled.key));
    let mut rows = builder.finish();
    rows.sample.is_complete = profile.sample.is_complete;
    rows
}
