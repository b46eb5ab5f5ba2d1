//! Laws for rows of several fields.

use std::cmp::Ordering;

use fluo_table::{Bytes, Key};
use proptest::prelude::*;
use proptest::sample::select;

use super::{Case, by_bytes, cut, sets_of};
use crate::{
    Composite, CompositeRows, DigestSalt, Field, FieldKind, FieldOrder, FieldSettings, KeyDesign,
    Modulo, RowSelection, SaltSettings, SaltedPart,
};

/// Returns values at the edges of their kind, few enough that equal ones are frequent.
fn value(kind: FieldKind) -> BoxedStrategy<Field> {
    let integers = [i64::MIN, i64::MIN + 1, -256, -1, 0, 1, 255, i64::MAX];
    match kind {
        FieldKind::Text => "[a\\\\~\t\u{0}\u{1}é\u{10ffff}]{0,3}".prop_map(Field::Text).boxed(),
        FieldKind::Bytes => {
            let byte = select(vec![0_u8, 1, b'a', 0xfe, 0xff]);
            let bytes = proptest::collection::vec(byte, 0..3);
            bytes.prop_map(|bytes| Field::Bytes(bytes.into())).boxed()
        }
        FieldKind::Signed => {
            let number = prop_oneof![select(integers.to_vec()), any::<i64>()];
            number.prop_map(Field::Signed).boxed()
        }
        FieldKind::Unsigned => {
            let number = prop_oneof![select(vec![0, 1, 9, 10, 255, 256, u64::MAX]), any::<u64>()];
            number.prop_map(Field::Unsigned).boxed()
        }
        FieldKind::Float => {
            let special = vec![
                0.0,
                1.0,
                -1.0,
                f64::MIN_POSITIVE,
                5e-324,
                -5e-324,
                f64::MAX,
                f64::MIN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
            ];
            let number = prop_oneof![select(special), any::<f64>()];
            number.prop_map(Field::Float).boxed()
        }
        _ => {
            let times = [1_696_744_051_903, -377_705_116_800_000, 253_402_300_800_000];
            let times = [&integers[..], &times[..]].concat();
            let time = prop_oneof![select(times), any::<i64>(), -9_999_999_i64..9_999_999];
            time.prop_map(Field::Time).boxed()
        }
    }
}

fn values(fields: &[FieldSettings]) -> BoxedStrategy<Vec<Field>> {
    let values: Vec<_> = fields.iter().map(|field| value(field.kind)).collect();
    values.boxed()
}

/// Compares two values of one kind.
fn compare(a: &Field, b: &Field) -> Ordering {
    match (a, b) {
        (Field::Text(a), Field::Text(b)) => a.cmp(b),
        (Field::Bytes(a), Field::Bytes(b)) => a.cmp(b),
        (Field::Signed(a), Field::Signed(b)) | (Field::Time(a), Field::Time(b)) => a.cmp(b),
        (Field::Unsigned(a), Field::Unsigned(b)) => a.cmp(b),
        (Field::Float(a), Field::Float(b)) => {
            let by_number = a.partial_cmp(b);
            by_number.unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        _ => panic!("{a:?} and {b:?} are of two kinds"),
    }
}

fn compare_all(fields: &[FieldSettings], a: &[Field], b: &[Field]) -> Ordering {
    let pairs = fields.iter().zip(a.iter().zip(b));
    pairs.fold(Ordering::Equal, |order, (field, (a, b))| {
        let by_value = compare(a, b);
        order.then(match field.order {
            FieldOrder::Ascending => by_value,
            FieldOrder::Descending => by_value.reverse(),
        })
    })
}

fn rows_of(composite: &Composite, leading: &[Field]) -> RowSelection {
    if leading.len() == composite.fields.len() {
        return RowSelection::Row(composite.row(leading).unwrap());
    }
    RowSelection::Prefix(composite.prefix(leading).unwrap())
}

fn rows_between(
    composite: &Composite,
    leading: &[Field],
    from: Option<&Field>,
    to: Option<&Field>,
) -> RowSelection {
    let field = composite.fields[leading.len()].clone();
    let single = CompositeRows::new(vec![field]).composite().unwrap();
    let text = |value: &Field| single.row(std::slice::from_ref(value)).unwrap();
    let (from, to) = (from.map(text), to.map(text));
    RowSelection::Between { prefix: composite.prefix(leading).unwrap(), from, to }
}

/// Returns sets by leading fields, and sets of arbitrary bytes, most of which are rejected.
fn sets(composite: &Composite) -> BoxedStrategy<RowSelection> {
    let count = composite.fields.len();
    let row = row(composite);
    let given = (values(&composite.fields), values(&composite.fields), values(&composite.fields));
    let of_fields = (given, 0..=count, 0..4_u8).prop_map({
        let composite = composite.clone();
        move |((leading, from, to), taken, bounds)| {
            if taken == count || bounds == 0 {
                return rows_of(&composite, &leading[..taken]);
            }
            let from = (bounds & 1 != 0).then_some(&from[taken]);
            let to = (bounds & 2 != 0).then_some(&to[taken]);
            rows_between(&composite, &leading[..taken], from, to)
        }
    });
    prop_oneof![
        4 => of_fields,
        2 => cut(row.clone()).prop_map(RowSelection::Prefix),
        1 => sets_of(row),
    ]
    .boxed()
}

fn row(composite: &Composite) -> impl Strategy<Value = Bytes> + Clone + 'static {
    let composite = composite.clone();
    let rows = values(&composite.fields).prop_map(move |values| composite.row(&values).unwrap());
    std::rc::Rc::new(rows)
}

/// Checks whether a set contains a row: by the bytes of normalized rows, and by the values of their
/// fields.
fn holds(composite: &Composite, rows: &RowSelection, row: &[u8]) -> bool {
    let RowSelection::Between { prefix, from, to } = rows else {
        return by_bytes(rows, row);
    };
    let separator = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\t').count();
    let number = separator(prefix);
    let kind = composite.fields[number].clone();
    let single = CompositeRows::new(vec![kind]).composite().unwrap();
    let read = |bound: &Bytes| single.fields_of(bound).unwrap().remove(0);
    let value = &composite.fields_of(row).unwrap()[number];
    let not_below = |bound: &Option<Bytes>, else_: bool| {
        let bound = bound.as_ref().map(read);
        bound.map_or(else_, |bound| compare(value, &bound) != Ordering::Less)
    };
    row.starts_with(prefix) && not_below(from, true) && !not_below(to, false)
}

fn case(fields: &[(FieldKind, FieldOrder)], salt: Option<SaltSettings>) -> Case {
    let field = |&(kind, order): &(FieldKind, FieldOrder)| FieldSettings {
        order,
        ..FieldSettings::new("", kind)
    };
    let settings = CompositeRows { salt, ..CompositeRows::new(fields.iter().map(field).collect()) };
    let composite = settings.composite().unwrap();
    let of_holds = composite.clone();
    let of_order = composite.clone();
    Case {
        rows: sets(&composite),
        holds: Box::new(move |rows, row| holds(&of_holds, rows, row)),
        order: Box::new(move |a, b| {
            let fields = |row| of_order.fields_of(row).unwrap();
            compare_all(&of_order.fields, &fields(a), &fields(b))
        }),
        ..Case::new(KeyDesign::new(settings).unwrap(), row(&composite))
    }
}

pub(super) fn cases() -> Vec<Case> {
    use FieldKind::{Bytes, Float, Signed, Text, Time, Unsigned};
    use FieldOrder::{Ascending, Descending};

    let digest = |over| {
        let salt = DigestSalt { digits: 1, over, ..DigestSalt::default() };
        Some(SaltSettings::from(salt))
    };
    let modulo = Modulo { over: SaltedPart::Fields(2), ..Modulo::default() };
    vec![
        case(&[(Text, Ascending), (Signed, Descending)], None),
        case(&[(Text, Descending), (Text, Ascending)], None),
        case(&[(Bytes, Descending), (Bytes, Descending)], None),
        case(&[(Unsigned, Descending), (Unsigned, Descending)], None),
        case(&[(Float, Ascending), (Time, Ascending), (Bytes, Ascending)], None),
        case(&[(Time, Descending), (Float, Descending), (Text, Descending)], None),
        case(&[(Text, Ascending), (Signed, Ascending)], digest(SaltedPart::Fields(1))),
        case(&[(Bytes, Ascending), (Float, Descending)], digest(SaltedPart::Whole)),
        case(&[(Signed, Ascending), (Text, Descending), (Time, Descending)], Some(modulo.into())),
    ]
}

const KINDS: [FieldKind; 6] = [
    FieldKind::Text,
    FieldKind::Bytes,
    FieldKind::Signed,
    FieldKind::Unsigned,
    FieldKind::Float,
    FieldKind::Time,
];

/// Returns fields of any kinds and directions, and two rows of them.
fn two_rows() -> impl Strategy<Value = (Vec<FieldSettings>, Vec<Field>, Vec<Field>)> {
    let order = prop_oneof![Just(FieldOrder::Ascending), Just(FieldOrder::Descending)];
    let field = (select(KINDS.to_vec()), order)
        .prop_map(|(kind, order)| FieldSettings { order, ..FieldSettings::new("", kind) });
    proptest::collection::vec(field, 1..5).prop_flat_map(|fields| {
        let (a, b) = (values(&fields), values(&fields));
        (Just(fields), a, b)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn keys_compare_as_their_fields((fields, a, b) in two_rows(), taken in any::<prop::sample::Index>()) {
        let settings = CompositeRows::new(fields.clone());
        let (composite, design) = (settings.composite().unwrap(), KeyDesign::new(settings).unwrap());
        let key = |fields: &[Field]| design.encode_row(&composite.row(fields).unwrap()).unwrap();
        prop_assert_eq!(key(&a).cmp(&key(&b)), compare_all(&fields, &a, &b));
        // NaN is not equal to itself, so values are compared by their order.
        let back = composite.fields_of(&design.decode_key(&key(&a)).unwrap()).unwrap();
        prop_assert_eq!(compare_all(&fields, &back, &a), Ordering::Equal);

        let taken = taken.index(fields.len() + 1);
        let holds = |rows: RowSelection, row: &[Field]| {
            let key = Key::first_of_row(key(row));
            design.spans(&rows).unwrap().iter().any(|span| span.contains(&key))
        };
        // Every second row has the same leading fields.
        for row in [&b, &[&a[..taken], &b[taken..]].concat()] {
            let shares = compare_all(&fields[..taken], &a[..taken], &row[..taken]) == Ordering::Equal;
            prop_assert_eq!(holds(rows_of(&composite, &a[..taken]), row), shares);
            if taken < fields.len() {
                let (from, to) = (&a[taken], &b[taken]);
                let rows = rows_between(&composite, &a[..taken], Some(from), Some(to));
                let lies = compare(&row[taken], from) != Ordering::Less && compare(&row[taken], to) == Ordering::Less;
                prop_assert_eq!(holds(rows, row), shares && lies);
            }
        }
    }
}

#[test]
fn rejects_values_of_another_shape() {
    let fields = [FieldKind::Text, FieldKind::Unsigned].map(|kind| FieldSettings::new("", kind));
    let composite = CompositeRows::new(fields.to_vec()).composite().unwrap();
    let (text, number) = (Field::from("a"), Field::Unsigned(1));
    let message = |fields: &[&Field]| {
        let fields: Vec<_> = fields.iter().copied().cloned().collect();
        composite.row(&fields).unwrap_err().to_string()
    };
    assert_eq!(message(&[&text]), "a row of this composite design has 2 fields, not 1");
    let many = message(&[&text, &number, &number]);
    assert_eq!(many, "a row of this composite design has 2 fields, not 3");
    let other = message(&[&text, &Field::Signed(1)]);
    assert_eq!(other, "field 2 is an unsigned integer, not a signed integer");
    let prefix = |leading: &[Field]| composite.prefix(leading).unwrap_err().to_string();
    let whole = "a prefix of this composite design has at most 1 field, not 2";
    assert_eq!(prefix(&[text, number.clone()]), whole);
    assert_eq!(prefix(&[number]), "field 1 is text, not an unsigned integer");
}

/// Names of fields appear only in messages, and the salt is not part of the encoding: designs that
/// differ in them can be migrated.
#[test]
fn names_and_salts_do_not_change_the_encoding() {
    let design = |name, kind| {
        KeyDesign::new(CompositeRows::new(vec![FieldSettings::new(name, kind)])).unwrap()
    };
    let (old, new) = (design("at", FieldKind::Time), design("time", FieldKind::Time));
    assert!(old != new && old.has_encoding_of(&new));
    assert!(!old.has_encoding_of(&design("at", FieldKind::Signed)));
    let web = |settings| super::super::design_of(settings).unwrap();
    let old = web(r#"{"design": "web-table"}"#);
    for new in [
        r#"{"design": "web-table", "digits": 3, "over": "host"}"#,
        r#"{"design": "web-table", "digits": 4, "text": "reversed"}"#,
        r#"{"design": "web-table", "leading_point": true}"#,
    ] {
        assert!(old != web(new) && old.has_encoding_of(&web(new)), "{new}");
    }
}
