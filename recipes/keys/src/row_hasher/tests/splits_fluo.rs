//! Splits that equal those of Java's RowHasher, and the counts at which they differ.

use rstest::rstest;

use super::super::splits;
use super::murmur3;
use crate::HashScheme;

const SPACE: u32 = HashScheme::Murmur3Base36.space();

#[rstest]
#[case(1, "~")]
#[case(2, "i000 ~")]
#[case(3, "c000 o000 ~")]
#[case(5, "7778 eeeg lllo sssw ~")]
#[case(10, "3llm 7778 assu eeeg i002 lllo p77a sssw weei ~")]
#[case(
    20,
    "1sst 3llm 5eef 7778 9001 assu clln eeeg g779 i002 jssv lllo neeh p77a r003 sssw ullp weei y77b ~"
)]
fn splits_of_java(#[case] tablets: u32, #[case] ends: &str) {
    let expected: Vec<String> = ends.split(' ').map(|end| format!("p:{end}")).collect();
    assert_eq!(murmur3("p").splits(tablets).unwrap(), expected);
}

fn is_fluo(tablets: &u32) -> bool {
    splits::is_fluo(HashScheme::Murmur3Base36, *tablets)
}

/// Returns the number of hashes in the last tablet and in each other tablet, by Fluo's formula
/// alone.
fn fluo_widths(tablets: u32) -> (i64, i64) {
    let width = i64::from(SPACE.div_ceil(tablets));
    (i64::from(SPACE) - i64::from(tablets - 1) * width, width)
}

/// The shares of Fluo's last tablet in the documentation of
/// [`RowHasher::splits`](crate::RowHasher::splits).
#[rstest]
#[case(100, 0.995)]
#[case(1_020, 0.803)]
#[case(1_295, 0.003)]
#[case(1_296, 1.0)]
#[case(1_297, 0.0)]
fn fluos_last_tablet_shrinks(#[case] tablets: u32, #[case] share: f64) {
    let (last, width) = fluo_widths(tablets);
    let measured =
        f64::from(u32::try_from(last).unwrap()) / f64::from(u32::try_from(width).unwrap());
    assert!((measured - share).abs() < 0.0005, "{measured}");
}

#[test]
fn even_formula_takes_over_below_three_quarters() {
    for tablets in 1..=20_000 {
        let (last, width) = fluo_widths(tablets);
        let sound = 4 * last >= 3 * width;
        assert_eq!(is_fluo(&tablets), sound, "{tablets}");
    }
}

/// The counts in the documentation of `splits`.
#[test]
fn documented_counts() {
    let even: Vec<u32> = (1..=1_296).filter(|tablets| !is_fluo(tablets)).collect();
    assert_eq!(even.len(), 317);
    assert_eq!(even.iter().copied().take(4).collect::<Vec<u32>>(), [661, 674, 680, 701]);
    assert_eq!(
        runs_of(&even, 6),
        [
            898..=903,
            930..=936,
            1_051..=1_067,
            1_229..=1_235,
            1_238..=1_246,
            1_250..=1_260,
            1_266..=1_295
        ]
    );
    assert_eq!((1_297..=SPACE).filter(is_fluo).count(), 328);
}

/// Returns the runs of successive numbers with at least `least` members.
fn runs_of(numbers: &[u32], least: usize) -> Vec<std::ops::RangeInclusive<u32>> {
    numbers
        .chunk_by(|a, b| a + 1 == *b)
        .filter(|run| run.len() >= least)
        .map(|run| run[0]..=run[run.len() - 1])
        .collect()
}
