use rstest::rstest;

use super::*;
use crate::key_design::{DigestSalt, Modulo};
use crate::row_hasher::RowHasher;

fn queue() -> TableRequirementBuilder {
    TableRequirement::builder("queue").prefix("q:")
}

fn modulo() -> KeyDesign {
    KeyDesign::new(Modulo::default()).unwrap()
}

fn hasher() -> KeyDesign {
    KeyDesign::from(&RowHasher::new("p").unwrap())
}

#[rstest]
#[case(
    TableRequirement::builder(""),
    "the name of the recipe is empty; give the name that messages show"
)]
#[case(queue().splits(["q:a", "p"]), "queue: its split point `p` does not begin with `q:`, as all its rows do")]
#[case(
    TableRequirement::builder("all").splits([""]),
    "all: the empty row cannot be a split point: no row comes before it"
)]
#[case(queue().splits(["q:a", "q:a"]), "queue: its split points are not ascending: `q:a` comes after `q:a`")]
#[case(
    queue().splits(["q:a"]).group_regex("x"),
    "queue: its group `x` does not contain the tablet that ends at its split point `q:a`"
)]
#[case(queue().group_regex("(q)"), "queue: its group cannot be determined: ")]
#[case(
    queue().splits(["q:a"]).shares([]),
    "queue: shares: 0, split points: 1; give one share for each tablet"
)]
#[case(
    queue().splits(["q:a"]).shares([1, 1, 1]),
    "queue: shares: 3, split points: 1; give one share for each tablet"
)]
#[case(queue().splits(["q:a"]).shares([0, 0]), "queue: all its shares are 0: give the weight of each tablet")]
fn rejects_parts_that_do_not_fit(#[case] builder: TableRequirementBuilder, #[case] begin: &str) {
    let message = builder.build().unwrap_err().to_string();
    assert!(message.starts_with(begin), "{message}");
}

#[test]
fn a_textual_prefix_is_the_default_group() {
    for (prefix, group) in [(&b"q:"[..], Some(r"\Qq:\E")), (b"", None), (b"\xff", None)] {
        let built = TableRequirement::builder("r").prefix(prefix).build().unwrap();
        assert_eq!(built.group_regex.as_deref(), group);
    }
    let own = queue().splits(["q:1", "q:2"]).group_regex("q:[0-9]");
    assert_eq!(own.build().unwrap().group_regex.as_deref(), Some("q:[0-9]"));
}

#[test]
fn the_number_of_shares_decides_whether_rows_follow_the_last_split_point() {
    for (shares, ends, last) in [(&[1, 1][..], true, "q:2"), (&[1, 1, 1], false, "q;")] {
        let built = queue().splits(["q:1", "q:2"]).shares(shares.to_vec());
        let built = built.build().unwrap();
        assert_eq!(built.planned_tablets() == 2, ends);
        assert_eq!(built.last_end_row().unwrap(), last);
    }
}

#[test]
fn expects_the_shares_of_the_design() {
    let requirement = TableRequirement::for_key_design(&hasher(), 1_020).unwrap();
    assert_eq!(requirement.planned_tablets(), requirement.splits.len());
    assert_eq!(requirement.owner, "row hasher `p`");
    assert_eq!(requirement.last_end_row().unwrap(), "p:~");
    let shares = requirement.shares.unwrap();
    assert_eq!(shares.iter().sum::<u64>(), 1 << 31);
    let (last, first) = (shares[1_019], shares[0]);
    assert!(last * 4 >= first * 3 && last * 10 < first * 9, "Fluo's last tablet is smaller");

    let requirement = TableRequirement::for_key_design(&modulo(), 4).unwrap();
    assert_eq!(requirement.owner, "key design modulo");
    assert_eq!(requirement.splits(), ["02", "05", "07"]);
    assert_eq!(requirement.shares.as_deref(), Some([2, 3, 2, 3].as_slice()));
    assert!(requirement.prefix.is_empty() && requirement.group_regex.is_none());
    assert_eq!(requirement.last_end_row(), None);
}

#[test]
fn checks_given_split_points() {
    let design = KeyDesign::new(DigestSalt::default()).unwrap();
    let at = |points: &[&'static str]| {
        let points = points.iter().map(|point| Bytes::from(*point));
        TableRequirement::for_key_design_at(&design, points)
    };
    assert_eq!(at(&["40", "8"]).unwrap().splits(), ["40", "8"]);
    assert!(at(&[]).unwrap().splits().is_empty());
    assert_eq!(
        at(&["8", "40"]).unwrap_err().to_string(),
        "key design digest-salt: its split points are not ascending: `40` comes after `8`"
    );
}
