//! The names that configurations store.

use fluo_table::Bytes;

use super::super::{Codec, Json, Kryo, Ordered, Postcard, Raw, Text};

fn name<T>(codec: &impl Codec<T>) -> String {
    codec.name().into_owned()
}

#[test]
fn text_has_the_name_of_the_type() {
    let integers = [
        name::<i8>(&Text),
        name::<i16>(&Text),
        name::<i32>(&Text),
        name::<i64>(&Text),
        name::<u8>(&Text),
        name::<u16>(&Text),
        name::<u32>(&Text),
        name::<u64>(&Text),
    ];
    let expected = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    assert_eq!(integers, expected.map(|name| format!("text:{name}")));
    let others =
        [name::<String>(&Text), name::<bool>(&Text), name::<f32>(&Text), name::<f64>(&Text)];
    assert_eq!(others, ["text:string", "text:bool", "text:f32", "text:f64"]);
}

#[test]
fn ordered_has_the_name_of_the_type() {
    let integers = [
        name::<i8>(&Ordered),
        name::<i16>(&Ordered),
        name::<i32>(&Ordered),
        name::<i64>(&Ordered),
        name::<u8>(&Ordered),
        name::<u16>(&Ordered),
        name::<u32>(&Ordered),
        name::<u64>(&Ordered),
    ];
    let expected = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    assert_eq!(integers, expected.map(|name| format!("ordered:{name}")));
    let others = [name::<bool>(&Ordered), name::<f32>(&Ordered), name::<f64>(&Ordered)];
    assert_eq!(others, ["ordered:bool", "ordered:f32", "ordered:f64"]);
}

#[test]
fn kryo_has_the_names_of_classes_in_java() {
    let names = [
        name::<String>(&Kryo),
        name::<i8>(&Kryo),
        name::<i16>(&Kryo),
        name::<i32>(&Kryo),
        name::<i64>(&Kryo),
        name::<f32>(&Kryo),
        name::<f64>(&Kryo),
        name::<bool>(&Kryo),
    ];
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
