//! The faults of a design, as text.

use fluo_advisor::{Fault, Read};
use fluo_keys::ScanCost;
use fluo_table::Grouped;

use super::figures::{percent, quoted};
use crate::text::plural;

pub(super) fn fault(fault: &Fault) -> String {
    match fault {
        Fault::Invalid { reason } => reason.clone(),
        Fault::RejectsKeys { keys, reason } => {
            format!("no key for {}: {reason}", plural(*keys, "key"))
        }
        Fault::FewSalts { used, is_of_a_part } => {
            let used = plural(*used, "salt");
            if *is_of_a_part {
                format!("only {used}: keys differ beyond the salted part")
            } else {
                format!("only {used}: the hash does not distinguish these keys")
            }
        }
        Fault::FullTablet { over_mean } => {
            format!("the fullest tablet has {over_mean:.2} times the mean")
        }
        Fault::HeavyPart { part, share } => match part {
            Some(part) => format!("{} has {} of the keys", quoted(part), percent(*share)),
            None => format!("one row has {} of the keys", percent(*share)),
        },
        Fault::UnevenSalts { over_mean } => {
            format!("salts do not divide evenly: {over_mean:.2} times the mean")
        }
        Fault::NewestTogether { share } => {
            format!("{} of the newest keys go to one tablet", percent(*share))
        }
        Fault::RunsTogether { tablets } => {
            format!("keys arrive for {tablets:.1} tablets at a time")
        }
        Fault::UnknownPlace => "new keys may all go to one tablet".to_owned(),
        Fault::RowInPieces { pieces } => {
            let ranges = plural(*pieces, "range");
            format!("one row is read from {ranges}; --scans-only allows it")
        }
        Fault::UnsupportedRead { read, cost } => unsupported(*read, cost.as_ref()),
        Fault::TooFewTablets { tablets, wanted } => {
            format!("{} of {} wanted", plural(*tablets, "tablet"), Grouped(*wanted))
        }
        Fault::FewerThanServers { tablets, servers } => {
            format!("{} cannot use {servers} servers", plural(*tablets, "tablet"))
        }
        _ => String::new(),
    }
}

fn unsupported(read: Read, cost: Option<&ScanCost>) -> String {
    let rows = match read {
        Read::Prefix => "a prefix",
        Read::Range => "a range",
        Read::Field => "a leading field",
        _ => "a domain",
    };
    match (cost, read) {
        (Some(ScanCost::Limited { only, .. }), _) => format!("scans only {only}"),
        (None, Read::Domain) => "the keys are not web addresses".to_owned(),
        (None, _) => "the keys have no leading field".to_owned(),
        _ => format!("no scan of {rows}"),
    }
}
