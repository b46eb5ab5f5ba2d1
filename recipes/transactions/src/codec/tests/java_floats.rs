//! The text of floats, compared with Java's.

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use super::super::{Codec, Text};
use super::{encoded, reread};

fn double(value: f64) -> String {
    String::from_utf8(encoded(&Text, &value)).unwrap()
}

fn float(value: f32) -> String {
    String::from_utf8(encoded(&Text, &value)).unwrap()
}

fn read(text: &str) -> Option<f64> {
    Text.decode(text.as_bytes()).ok()
}

/// Returns the digits of a text without the sign, the point, the exponent and zeros at the ends.
fn digits(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

#[test]
fn writes_doubles_as_java() {
    let power = 2_f64.powi(50);
    for (value, text) in [
        (1.0, "1.0"),
        (-6.135, "-6.135"),
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (100.0, "100.0"),
        (1_234_567.8, "1234567.8"),
        (9_999_999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (12_345_678.9, "1.23456789E7"),
        (0.1, "0.1"),
        (0.05, "0.05"),
        (0.001, "0.001"),
        (0.002, "0.002"),
        (-0.001_25, "-0.00125"),
        (9.99e-4, "9.99E-4"),
        (1e-10, "1.0E-10"),
        (0.1 + 0.2, "0.30000000000000004"),
        (f64::MAX, "1.7976931348623157E308"),
        (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
        (f64::NAN, "NaN"),
        (-f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        // Java 17 and earlier write more digits for these numbers.
        (1e23, "1.0E23"),
        (2e23, "2.0E23"),
        // The nearest text of two digits. The shortest one has one digit: 5e-324 and 1e-323.
        (f64::from_bits(1), "4.9E-324"),
        (f64::from_bits(2), "9.9E-324"),
        (f64::from_bits(3), "1.5E-323"),
        (f64::from_bits(4), "2.0E-323"),
        // Two texts of 17 digits are equally near, and Java takes the even one.
        (power + 0.25, "1.1258999068426242E15"),
        (power + 0.75, "1.1258999068426248E15"),
        // The nearest text with as many digits as the shortest one is that of a neighbor.
        (2_f64.powi(-44), "5.684341886080802E-14"),
    ] {
        assert_eq!(double(value), text);
    }
}

#[test]
fn powers_of_two_are_read_back() {
    for exponent in -1074..1024 {
        let value = 2_f64.powi(exponent);
        assert_eq!(double(value).parse(), Ok(value));
    }
}

#[test]
fn writes_floats_as_java() {
    for (value, text) in [
        (2.54, "2.54"),
        (28.195, "28.195"),
        (f32::MAX, "3.4028235E38"),
        (f32::MIN_POSITIVE, "1.1754944E-38"),
        (16_777_216.0, "1.6777216E7"),
        (f32::NAN, "NaN"),
        (f32::NEG_INFINITY, "-Infinity"),
        // Java 17 and earlier write more digits for this number.
        (1.1e10, "1.1E10"),
        // The shortest text of the first number has one digit: 1e-45.
        (f32::from_bits(1), "1.4E-45"),
        (f32::from_bits(2), "2.8E-45"),
    ] {
        assert_eq!(float(value), text);
    }
}

#[test]
fn reads_blanks_and_suffixes_as_java() {
    for text in [
        "1.5", " 1.5", "1.5\n", "\t1.5 ", "1.5f", "1.5F", "1.5d", "1.5D ", "+1.5", "15e-1",
        "15E-1d",
    ] {
        assert_eq!(read(text), Some(1.5), "{text:?}");
    }
    assert_eq!((read("1."), read(".5")), (Some(1.0), Some(0.5)));
    assert_eq!(read("+Infinity"), Some(f64::INFINITY));
    assert_eq!(read("-Infinity "), Some(f64::NEG_INFINITY));
    assert!(read("NaN").unwrap().is_nan() && read(" -NaN").unwrap().is_nan());
    assert_eq!(read("1e999"), Some(f64::INFINITY));
}

#[test]
fn rejects_text_that_is_no_float() {
    for text in [
        "", " ", ".", "f", "e5", "1e", "1ff", "1fd", "1 f", "1,5", "inf", "-inf", "infinity",
        "nan", "NaNf", "0x1p3", "0x1.8p1", "--1", "1_0", "\u{a0}1", "\u{661}",
    ] {
        assert_eq!(read(text), None, "{text:?}");
    }
    assert!(Codec::<f32>::decode(&Text, b"1\xff").is_err());
}

proptest! {
    #[test]
    fn rereads_every_double(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        let read = reread(&Text, &value);
        prop_assert!(read.to_bits() == bits || read.is_nan() && value.is_nan());
    }

    #[test]
    fn rereads_every_float(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        let read = reread(&Text, &value);
        prop_assert!(read.to_bits() == bits || read.is_nan() && value.is_nan());
    }

    #[test]
    fn writes_as_many_digits_as_the_shortest_text(value in any::<f64>()) {
        let (own, shortest) = (digits(&double(value)), digits(&format!("{value:e}")));
        prop_assert!(own.len() == shortest.len() || shortest.len() == 1, "{} {}", own, shortest);
    }

    #[test]
    fn has_an_exponent_only_out_of_the_range_of_plain_numbers(value in any::<f64>(), near in -1e8..1e8) {
        for value in [value, near, near / 1e9] {
            let is_plain = value.abs() >= 1e-3 && value.abs() < 1e7 || value == 0.0;
            prop_assert_eq!(!is_plain, double(value).contains('E'), "{}", value);
        }
    }
}
