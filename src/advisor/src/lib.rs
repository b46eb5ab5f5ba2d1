//! Advice on key designs: measures keys, tries designs on them, and recommends one with reasons.
//!
//! ```
//! use fluo_advisor::{AdviceOptions, ProfileBuilder, ProfileOptions, advise};
//!
//! // Measure the keys, in their order of arrival.
//! let mut builder = ProfileBuilder::new(ProfileOptions::new());
//! for id in 0..20_000 {
//!     builder.push(format!("order-{id:08}").as_bytes());
//! }
//!
//! // Ask for a design on 4 servers.
//! let options = AdviceOptions::new().servers(4);
//! let advice = advise(builder.finish(), &options)?.advice;
//! assert_eq!(advice.decision.to_string(), "Use row-hasher in 16 tablets.");
//!
//! // Read the reasons as sentences, or match on them.
//! assert!(advice.findings.iter().any(|finding| finding.to_string().starts_with("Keys ascend")));
//! # Ok::<(), fluo_advisor::AdvisorError>(())
//! ```
//!
//! Keys and tables that already have designs are [recognised](ExistingRecipe), and the advice is to
//! keep these designs.
//!
//! # Where to look
//!
//! | topic | where |
//! |---|---|
//! | the properties of keys, in bounded memory | [`ProfileBuilder`] to [`KeyProfile`] |
//! | the effect of one design: loads, newest keys, costs of scans | [`DesignForecast`] |
//! | the designs that are tried | [`Candidate::all_for`] |
//! | servers, rates, sizes and reads | [`AdviceOptions`] |
//! | all results, serializable as JSON | [`advise`] to [`AdvisorReport`] |
//! | the recommendation | [`Advice`], its [`Decision`] and its [`AdviceReason`]s |
//! | the suitability of each design | [`DesignVerdict`] and its [`DesignReason`]s |
//! | the spec file for `fluo table plan` | [`AdvisedSpec`] |
//!
//! Findings and reasons are data. [`Display`](std::fmt::Display) writes each of them as a sentence,
//! which is also its form in JSON.
//!
//! # Exact and estimated figures
//!
//! Each part of a profile states whether it is counted over all keys or estimated from the uniform
//! sample of the profile, and the bounds of an estimate. Randomness is an argument: the same keys
//! and the same seed give the same profile.

mod advice;
mod advised_layout;
mod error;
mod existing;
mod forecast;
mod formatting;
mod number;
mod profile;

pub use advice::{
    Advice, AdviceOptions, AdviceReason, AdvisedDesign, AdvisedSpec, AdvisorReport, Decision,
    DesignFinding, DesignInTablets, DesignReason, DesignVerdict, Evenness, Finding, FullestLoad,
    KeyShare, KeysWithoutDesign, LoadReason, OrderFinding, Read, RepeatedFinding, Severity,
    Suitability, TableFinding, TabletAdvice, TabletDemand, TabletReason, Unevenness, advise,
    advise_among, advise_with,
};
pub use advised_layout::AdvisedLayout;
pub use error::{AdvisorError, AdvisorErrorKind};
pub use existing::{ExistingRecipe, ExistingTable, OtherKeys, SaltedLook};
pub use forecast::{
    Candidate, DesignForecast, Estimate, Example, ForecastResult, LoadForecast, PartSizes,
    ScanCosts, TailForecast, WithoutKey,
};
pub use profile::{
    Alphabet, AlphabetProfile, Arrivals, Distinct, FieldCut, FrequentPrefix, HeatMap, HotField,
    KeyProfile, KeySample, LeadingFields, LengthProfile, OrderProfile, PositionAlphabet,
    PrefixProfile, ProfileBuilder, ProfileOptions, SampledKey, WindowSpread,
};
