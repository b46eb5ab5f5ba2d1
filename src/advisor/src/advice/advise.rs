//! The functions of the advisor.

use super::Advice;
use super::as_it_is::{as_it_is, plain_rows};
use super::options::AdviceOptions;
use super::report::AdvisorReport;
use super::tablets::TabletAdvice;
use crate::error::AdvisorError;
use crate::existing::Existing;
use crate::{Candidate, DesignForecast, KeyProfile};

/// Tries the designs that suit the keys, and advises.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::tablet_advice`].
///
/// # Examples
///
/// ```
/// use fluo_advisor::{AdviceOptions, Decision, ProfileBuilder, ProfileOptions, advise};
///
/// let mut builder = ProfileBuilder::new(ProfileOptions::new());
/// for id in 0..20_000 {
///     builder.push(format!("order-{id:08}").as_bytes());
/// }
/// let options = AdviceOptions::new().servers(4);
/// let advice = advise(builder.finish(), &options)?.advice;
/// assert_eq!(advice.tablets.tablets, 16);
/// assert_eq!(advice.design.as_deref(), Some("row-hasher"));
/// assert!(matches!(advice.decision, Decision::NewDesign { tablets: 16, .. }));
/// assert_eq!(advice.decision.to_string(), "Use row-hasher in 16 tablets.");
/// # Ok::<(), fluo_advisor::AdvisorError>(())
/// ```
pub fn advise(profile: KeyProfile, options: &AdviceOptions) -> Result<AdvisorReport, AdvisorError> {
    advise_with(profile, Vec::new(), options)
}

/// Tries the designs that suit the keys, then these, and advises. If keys already have designs,
/// those are tried on the rows without their salts, and then these.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::tablet_advice`].
pub fn advise_with(
    profile: KeyProfile,
    own: Vec<Candidate>,
    options: &AdviceOptions,
) -> Result<AdvisorReport, AdvisorError> {
    let tablets = options.tablet_advice()?;
    let existing = Existing::new(&profile, options.table.as_ref());
    if !existing.is_none() {
        return Ok(as_it_is(profile, &existing, own, options));
    }
    let table = options.table.as_ref().filter(|_| !options.is_for_others());
    let plain = table.and_then(|table| plain_rows(table, &existing));
    let suiting = Candidate::all_for(&profile, tablets.tablets);
    let candidates = plain.into_iter().chain(suiting).chain(own).collect();
    let report = among(profile, candidates, &existing, tablets, options);
    Ok(report)
}

/// Tries only these designs, on the keys as they are, and advises one of them.
///
/// # Errors
///
/// Returns an error if an option is impossible: see [`AdviceOptions::tablet_advice`].
///
/// # Examples
///
/// ```
/// use fluo_advisor::{AdviceOptions, Candidate, ProfileBuilder, ProfileOptions, advise_among};
/// use fluo_keys::{DigestSalt, Modulo};
///
/// let mut builder = ProfileBuilder::new(ProfileOptions::new());
/// for id in 0..20_000 {
///     builder.push(format!("order-{id:08}").as_bytes());
/// }
/// let candidates = vec![
///     Candidate::unsalted(4),
///     Candidate::new("digest", DigestSalt::default(), 4),
///     Candidate::new("modulo", Modulo::default(), 4),
/// ];
/// let report = advise_among(builder.finish(), candidates, &AdviceOptions::new())?;
/// assert_eq!(report.advice.design.as_deref(), Some("digest"));
/// # Ok::<(), fluo_advisor::AdvisorError>(())
/// ```
pub fn advise_among(
    profile: KeyProfile,
    candidates: Vec<Candidate>,
    options: &AdviceOptions,
) -> Result<AdvisorReport, AdvisorError> {
    let tablets = options.tablet_advice()?;
    let existing = Existing::default();
    let report = among(profile, candidates, &existing, tablets, options);
    Ok(report)
}

/// Tries these designs, and advises.
fn among(
    profile: KeyProfile,
    candidates: Vec<Candidate>,
    existing: &Existing,
    tablets: TabletAdvice,
    options: &AdviceOptions,
) -> AdvisorReport {
    let forecasts: Vec<_> = candidates
        .into_iter()
        .map(|candidate| DesignForecast::new(&profile, candidate))
        .collect();
    let advice = Advice::new(&profile, &forecasts, existing, tablets, options);
    AdvisorReport {
        profile,
        forecasts,
        advice,
    }
}
