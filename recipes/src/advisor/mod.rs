//! What your keys look like, what every key design would do to them, and which one to use.
//!
//! Keys, and tables, that have designs already are [recognised](ExistingRecipe), and answered with these designs.
//!
//! Three steps, each a value that can be looked at:
//!
//! | step | what it is |
//! |---|---|
//! | [`ProfileBuilder`] to [`KeyProfile`] | the keys as they arrive, in one pass and bounded memory |
//! | [`DesignForecast`] | what one design does to the sample: load by tablet, newest keys, cost of scans |
//! | [`AdvisorReport`] | all of it, with a recommendation, its reasons, and the spec file to use |
//!
//! # What is exact and what is not
//! Every part of a profile says for itself whether it is counted over all keys or estimated from the uniform sample
//! that the profile keeps, and how far an estimate may be off. Randomness is an argument: the same keys and the same
//! seed give the same profile.

mod advice;
mod existing;
mod forecast;
mod profile;
mod words;

pub use advice::{
    Advice, AdviceError, AdviceSettings, AdvisedDesign, AdvisedLayout, AdvisedSpec, AdvisorReport,
    Decision, DesignVerdict, Finding, Read, Standing, TabletAdvice, Weight,
};
pub use existing::{ExistingRecipe, ExistingTable, OtherKeys, SaltedLook};
pub use forecast::{
    Candidate, ChiSquare, DesignForecast, Estimate, Example, ForecastResult, LoadForecast,
    PartSizes, ScanCost, ScanCosts, TailForecast, WithoutKey,
};
pub use profile::{
    Alphabet, AlphabetProfile, Arrivals, Distinct, FieldCut, FrequentPrefix, HeatMap, HotField,
    KeyProfile, KeySample, LeadingFields, LengthProfile, OrderProfile, PositionAlphabet,
    PrefixProfile, ProfileBuilder, ProfileSettings, SampledKey,
};
