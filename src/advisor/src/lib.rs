//! Advice on key designs: measures keys, tries designs on them, and recommends one.
//!
//! ```
//! use fluo_advisor::{
//!     AdviceOptions, Arrivals, Decision, Direction, ProfileBuilder, Suitability, advise,
//! };
//!
//! // Measure the keys, in their order of arrival.
//! let mut builder = ProfileBuilder::new(Arrivals::AsWritten);
//! for id in 0..20_000 {
//!     builder.push(format!("order-{id:08}").as_bytes());
//! }
//!
//! // Ask for a design on 4 servers.
//! let options = AdviceOptions::new().servers(4);
//! let report = advise(builder.finish(), &options)?;
//! assert_eq!((report.decision, report.tablets), (Decision::NewDesign, 16));
//!
//! // The advised design is the first of the ranked table.
//! assert_eq!(report.designs[0].label(), "row-hasher");
//! assert_eq!(report.profile.order.direction, Direction::Ascending);
//! let unsalted = report.designs.iter().find(|design| design.label() == "unsalted").unwrap();
//! assert_eq!(unsalted.suitability, Suitability::HotEnd);
//! # Ok::<(), fluo_table::Error>(())
//! ```
//!
//! Keys and tables that already have designs are [recognized](ExistingDesign), and the advice is to
//! keep these designs. [`ProfileBuilder`] measures keys in bounded memory; the [`AdvisorReport`] is
//! data, and the command writes the sentences.
//!
//! Each part of a profile states whether it is counted over all keys or estimated from the uniform
//! sample of the profile. The choice of the sample is random, and the same for the same keys.

mod advice;
mod existing;
mod forecast;
mod profile;

pub use advice::{
    AdviceOptions, AdvisedDesign, AdvisedSpec, AdvisorReport, Decision, Fault, RankedDesign, Read,
    RejectedKeys, Suitability, advise,
};
pub use existing::{AdvisedLayout, ExistingDesign, ExistingTable, OtherKeys};
pub use forecast::{Candidate, LoadForecast, ScanCosts};
pub use profile::{
    Alphabet, Arrivals, Direction, Distinct, FieldCut, HeatMap, HotField, KeyProfile, KeySample,
    LeadingFields, LengthProfile, OrderProfile, ProfileBuilder, Reservoir,
};
