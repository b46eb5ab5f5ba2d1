//! Advice on key designs: the properties of the keys, the effect of each design, and the design to
//! use.
//!
//! Keys and tables that already have designs are [recognised](ExistingRecipe). The advice for them
//! consists of these designs.
//!
//! Advice takes three steps, each of which results in a value:
//!
//! | step | result |
//! |---|---|
//! | [`ProfileBuilder`] to [`KeyProfile`] | the keys, in one pass and bounded memory |
//! | [`DesignForecast`] | the effect of one design: load by tablet, newest keys, costs of scans |
//! | [`AdvisorReport`] | all of it, with a recommendation, its reasons, and a spec file |
//!
//! # Exact and estimated figures
//!
//! Each part of a profile states whether it is counted over all keys or estimated from the uniform
//! sample of the profile, and the bounds of an estimate. Randomness is an argument: the same keys
//! and the same seed give the same profile.

mod advice;
mod existing;
mod forecast;
mod formatting;
mod number;
mod profile;

pub use advice::{
    Advice, AdviceError, AdviceSettings, AdvisedDesign, AdvisedLayout, AdvisedSpec, AdvisorReport,
    Decision, DesignVerdict, Finding, Read, Severity, Suitability, TabletAdvice,
};
pub use existing::{ExistingRecipe, ExistingTable, OtherKeys, SaltedLook};
pub use forecast::{
    Candidate, DesignForecast, Estimate, Example, ForecastResult, LoadForecast, PartSizes,
    ScanCosts, TailForecast, WithoutKey,
};
pub use profile::{
    Alphabet, AlphabetProfile, Arrivals, Distinct, FieldCut, FrequentPrefix, HeatMap, HotField,
    KeyProfile, KeySample, LeadingFields, LengthProfile, OrderProfile, PositionAlphabet,
    PrefixProfile, ProfileBuilder, ProfileSettings, SampledKey,
};
