//! Tests of the codecs, one file for each scenario.

mod java_floats;
mod kryo_damage;
mod kryo_vectors;
mod messages;
mod names;
mod order;
mod serde_formats;
mod text_forms;

use std::fmt::Debug;

use data_encoding::HEXLOWER;

use super::Codec;

fn encoded<T>(codec: &impl Codec<T>, value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    codec.encode(value, &mut bytes).expect("the value is valid");
    bytes
}

/// Returns the message of the error for bytes that a codec rejects.
fn refusal<T: Debug>(codec: &impl Codec<T>, bytes: &[u8]) -> String {
    let error = codec.decode(bytes).expect_err("the bytes are invalid");
    error.to_string()
}

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

fn unhex(hex: &str) -> Vec<u8> {
    let digits = hex.replace(' ', "");
    HEXLOWER.decode(digits.as_bytes()).expect("hex digits")
}

/// Returns the value that is read from the bytes of a value, which are appended to other bytes.
fn reread<T>(codec: &impl Codec<T>, value: &T) -> T {
    let mut bytes = b"before".to_vec();
    codec.encode(value, &mut bytes).expect("the value is valid");
    let own = bytes.strip_prefix(b"before").expect("the first bytes stay");
    codec.decode(own).expect("the bytes are valid")
}
