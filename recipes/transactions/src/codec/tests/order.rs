//! The order of the bytes of numbers.

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use super::super::{Codec, Ordered};
use super::{encoded, hex, reread};

#[test]
fn flips_the_sign_bit_of_signed_numbers() {
    assert_eq!(hex(&encoded(&Ordered, &-1_i8)), "7f");
    assert_eq!(hex(&encoded(&Ordered, &i16::MIN)), "0000");
    assert_eq!(hex(&encoded(&Ordered, &0_i32)), "80000000");
    assert_eq!(hex(&encoded(&Ordered, &i64::MAX)), "ffffffffffffffff");
    assert_eq!(hex(&encoded(&Ordered, &258_u16)), "0102");
    assert_eq!(hex(&encoded(&Ordered, &1_u64)), "0000000000000001");
    assert_eq!(hex(&encoded(&Ordered, &-2_f32)), "3fffffff");
    assert_eq!(hex(&encoded(&Ordered, &2_f32)), "c0000000");
}

#[test]
fn sorts_floats_in_their_total_order() {
    let sorted = [
        -f64::NAN,
        f64::NEG_INFINITY,
        -1.5,
        -f64::from_bits(1),
        -0.0,
        0.0,
        f64::from_bits(1),
        1.5,
        f64::INFINITY,
        f64::NAN,
    ];
    let bytes = sorted.map(|value| encoded(&Ordered, &value));
    assert!(bytes.is_sorted_by(|a, b| a < b), "{bytes:?}");
}

#[test]
fn rejects_bytes_of_another_width() {
    for bytes in [&b""[..], b"\0\0\0", b"\0\0\0\0\0"] {
        assert!(Codec::<i32>::decode(&Ordered, bytes).is_err(), "{bytes:?}");
    }
    assert!(Codec::<bool>::decode(&Ordered, b"\0\x01").is_err());
}

#[test]
fn writes_booleans_as_0_and_1() {
    assert_eq!(encoded(&Ordered, &false), [0]);
    assert_eq!(encoded(&Ordered, &true), [1]);
    assert!(reread(&Ordered, &true) && !reread(&Ordered, &false));
}

macro_rules! in_order {
    ($($type:ident)*) => { $(
        proptest! {
            #[test]
            fn $type(a in any::<$type>(), b in any::<$type>()) {
                let [of_a, of_b] = [a, b].map(|value| encoded(&Ordered, &value));
                prop_assert_eq!(of_a.cmp(&of_b), a.cmp(&b));
                prop_assert_eq!(reread(&Ordered, &a), a);
            }
        }
    )* };
}

/// Tests that the order of bytes is that of numbers, for each type.
mod sorts_bytes_as_numbers {
    use super::*;

    in_order! { i8 i16 i32 i64 u8 u16 u32 u64 }
}

proptest! {
    #[test]
    fn sorts_bytes_as_floats_and_keeps_all_bits(a in any::<u64>(), b in any::<u64>()) {
        let [a, b] = [a, b].map(f64::from_bits);
        let [of_a, of_b] = [a, b].map(|value| encoded(&Ordered, &value));
        prop_assert_eq!(of_a.cmp(&of_b), a.total_cmp(&b));
        prop_assert!(reread(&Ordered, &a).to_bits() == a.to_bits());
    }

    #[test]
    fn keeps_all_bits_of_small_floats(bits in any::<u32>()) {
        prop_assert_eq!(reread(&Ordered, &f32::from_bits(bits)).to_bits(), bits);
    }
}
