//! The names that configurations store.

use fluo_table::Bytes;

use super::super::{Codec, Json, Kryo, Ordered, Postcard, Raw, Text};

fn name<T>(codec: &impl Codec<T>) -> String {
    codec.name().into_owned()
}

macro_rules! names {
    ($codec:ident: $($type:ty)*) => { [$(name::<$type>(&$codec)),*] };
}

#[test]
fn text_and_ordered_have_the_name_of_the_type() {
    let types = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"];
    let names = names!(Text: bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    assert_eq!(names, types.map(|name| format!("text:{name}")));
    assert_eq!(name::<String>(&Text), "text:string");
    let names = names!(Ordered: bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
    assert_eq!(names, types.map(|name| format!("ordered:{name}")));
}

#[test]
fn kryo_has_the_names_of_classes_in_java() {
    let names = names!(Kryo: String i8 i16 i32 i64 f32 f64 bool);
    let classes = ["String", "Byte", "Short", "Integer", "Long", "Float", "Double", "Boolean"];
    assert_eq!(names, classes.map(|class| format!("java.lang.{class}")));
}

#[test]
fn other_codecs_have_one_name() {
    assert_eq!(name::<Bytes>(&Raw), "raw");
    assert_eq!(name::<Vec<u8>>(&Raw), "raw");
    assert_eq!(name::<String>(&Json), "json");
    assert_eq!(name::<String>(&Postcard), "postcard");
}
