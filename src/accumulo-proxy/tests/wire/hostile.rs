//! Hostile replies: each call ends with an error sentence.

use std::sync::Arc;

use accumulo_proxy::{Error, ErrorKind, Protocol, ProxyClient};
use thrift::protocol::{
    TFieldIdentifier, TListIdentifier, TMapIdentifier, TMessageType, TOutputProtocol,
    TStructIdentifier, TType,
};

use crate::raw::{Asked, Raw, begin, field, framed, message, reply, structure};

pub(crate) const PROTOCOLS: [Protocol; 2] = [Protocol::Compact, Protocol::Binary];

/// Returns the error of `listSplits` on a server that sends `answer`.
async fn refused(
    protocol: Protocol,
    answer: impl Fn(&Asked) -> Vec<u8> + Clone + Send + Sync + 'static,
) -> Error {
    let server = Raw::answering(answer).await;
    list_splits(&server.client(protocol)).await
}

/// Returns the error of `listSplits`, which shows no secret and no control character.
pub(crate) async fn list_splits(client: &ProxyClient) -> Error {
    let error = client.table_operations().list_splits("t", Some(10)).await.unwrap_err();
    let sentence = error.to_string();
    assert!(!sentence.contains(char::is_control), "{sentence}");
    assert!(!sentence.contains("hush"), "{sentence}");
    assert!(!error.may_have_taken_effect(), "listSplits changes nothing");
    error
}

/// Encodes the reply of `listSplits` with `write` as its result.
fn result(
    protocol: Protocol,
    asked: &Asked,
    kind: TType,
    write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> Vec<u8> {
    reply(protocol, asked, |output| field(output, kind, 0, write))
}

/// A frame in answer to a call.
type Frame = Box<dyn Fn(&Asked) -> Vec<u8> + Send + Sync>;

/// Returns frames that are no reply to `listSplits`, with the reason of the error; `..` at its end
/// stands for any text.
fn frames(protocol: Protocol) -> Vec<(&'static str, Frame, String)> {
    let mut frames: Vec<(&'static str, Frame, String)> = Vec::new();
    let mut add = |story, reason: &str, frame: Frame| {
        frames.push((story, frame, reason.to_owned()));
    };
    let claim = |bytes: u32| {
        format!("the reply claims {bytes} bytes, more than the 67108864 that this client accepts")
    };
    let middle = "the reply ends in the middle of a value";
    add("no byte", middle, Box::new(|_| vec![0; 4]));
    add("the greatest length", &claim(u32::MAX), Box::new(|_| vec![0xFF; 8]));
    let above = |_: &Asked| vec![0x04, 0, 0, 1, 0];
    add("a length above the maximum", &claim(0x400_0001), Box::new(above));

    let expected = "expected the reply to `listSplits` number 1, found";
    let another = move |change: fn(&mut Asked)| -> Frame {
        Box::new(move |asked| {
            let mut asked = asked.clone();
            change(&mut asked);
            two_splits(protocol, &asked)
        })
    };
    let reason = format!("{expected} `tableExists` number 1");
    let renamed = another(|asked| "tableExists".clone_into(&mut asked.name));
    add("another call", &reason, renamed);
    let reason = format!("{expected} `listSplits` number 0");
    add("another number", &reason, another(|asked| asked.sequence -= 1));
    let long = another(|asked| asked.name = "\n".repeat(1_000_000));
    add("a long name", &format!("{expected} `\\n.."), long);
    for kind in [TMessageType::Call, TMessageType::OneWay] {
        let frame = move |asked: &Asked| {
            message(protocol, &asked.name, kind, asked.sequence, |output| {
                structure(output, |_| Ok(()))
            })
        };
        add("a request", &format!("{expected}.."), Box::new(frame));
    }
    let lacking = "the reply holds neither a result nor an exception";
    let empty = move |asked: &Asked| reply(protocol, asked, |_| Ok(()));
    add("no field", lacking, Box::new(empty));

    let other = match protocol {
        Protocol::Compact => Protocol::Binary,
        Protocol::Binary => Protocol::Compact,
    };
    add(
        "the other protocol",
        "the reply uses the other Thrift protocol: set binary instead of compact, or compact instead of binary",
        Box::new(move |asked| two_splits(other, asked)),
    );

    for (kind, said, reason) in [
        (
            1,
            "Invalid method name: 'listSplits'",
            "it has no such call (Invalid method name: 'listSplits')",
        ),
        (6, "Internal error\n\tat java", "Internal error\\n\\tat java"),
        (-77, "", "no reason given"),
    ] {
        let frame = move |asked: &Asked| {
            let exception = TMessageType::Exception;
            message(protocol, &asked.name, exception, asked.sequence, |output| {
                structure(output, |output| {
                    field(output, TType::String, 1, |output| output.write_string(said))?;
                    field(output, TType::I32, 2, |output| output.write_i32(kind))
                })
            })
        };
        let reason = format!("the proxy refused the call: {reason}");
        add("a refusal", &reason, Box::new(frame));
    }

    let lists = move |asked: &Asked| {
        result_of_unknown(protocol, asked, TType::List, |output| {
            let list = TListIdentifier::new(TType::List, 1);
            (0..100_000).try_for_each(|_| output.write_list_begin(&list))
        })
    };
    add("nested lists", "the reply ..", Box::new(lists));
    // Each structure is the only field of the one around it.
    let nested = match protocol {
        Protocol::Compact => &[0x1C][..],
        Protocol::Binary => &[0x0C, 0, 1],
    };
    let structures = move |asked: &Asked| {
        let start = result_of_unknown(protocol, asked, TType::Struct, |_| Ok(()));
        framed(&[&start[4..], &nested.repeat(100_000)].concat())
    };
    add("nested structures", "the reply is damaged: ..", Box::new(structures));

    let text = move |asked: &Asked| {
        reply(protocol, asked, |output| {
            field(output, TType::Struct, 3, |output| {
                structure(output, |output| {
                    let invalid = [b'a', 0xC3, 0x28];
                    field(output, TType::String, 1, |output| output.write_bytes(&invalid))
                })
            })
        })
    };
    add("text that is not UTF-8", "the reply is damaged: invalid utf-8..", Box::new(text));

    for kind in ELEMENTS.into_iter().filter(|kind| *kind != TType::List) {
        let reason = format!("the reply is damaged: found type {kind}, expected type list");
        let frame =
            move |asked: &Asked| result(protocol, asked, kind, |output| plain(output, kind));
        add("a field of another type", &reason, Box::new(frame));
    }
    for kind in ELEMENTS.into_iter().filter(|kind| *kind != TType::String) {
        let reason = format!("the reply is damaged: found type {kind}, expected type string");
        let frame = move |asked: &Asked| {
            result(protocol, asked, TType::List, |output| {
                output.write_list_begin(&TListIdentifier::new(kind, 1))?;
                plain(output, kind)
            })
        };
        add("elements of another type", &reason, Box::new(frame));
    }
    frames
}

#[tokio::test]
async fn rejects_frames_that_are_no_reply() {
    for protocol in PROTOCOLS {
        for (story, frame, reason) in frames(protocol) {
            let frame = Arc::new(frame);
            let error = refused(protocol, move |asked| frame(asked)).await;
            assert_eq!(error.kind(), ErrorKind::Protocol, "{story}: {error}");
            match reason.strip_suffix("..") {
                Some(start) => assert!(error.reason().starts_with(start), "{story}: {error}"),
                None => assert_eq!(error.reason(), reason, "{story}"),
            }
            assert!(error.reason().len() < 200, "{story}: {error}");
        }
    }
}

/// Encodes a valid reply with two splits.
pub(crate) fn two_splits(protocol: Protocol, asked: &Asked) -> Vec<u8> {
    result(protocol, asked, TType::List, |output| {
        output.write_list_begin(&TListIdentifier::new(TType::String, 2))?;
        output.write_bytes(b"row 1")?;
        output.write_bytes(b"row 2")
    })
}

const ELEMENTS: [TType; 10] = [
    TType::Bool,
    TType::I08,
    TType::I16,
    TType::I32,
    TType::I64,
    TType::Double,
    TType::String,
    TType::Struct,
    TType::Map,
    TType::List,
];

/// Claims different numbers of elements in a container of each kind, as the known field 0 and as
/// the unknown field 99.
#[tokio::test]
async fn rejects_containers_with_false_sizes() {
    for protocol in PROTOCOLS {
        for element in ELEMENTS {
            for claim in [i32::MAX, -1, 1_000_000, 3] {
                for id in [0, 99] {
                    claims(protocol, element, claim, id).await;
                }
            }
        }
    }
}

async fn claims(protocol: Protocol, element: TType, claim: i32, id: i16) {
    for container in [TType::List, TType::Set, TType::Map] {
        let error = refused(protocol, move |asked| {
            reply(protocol, asked, |output| {
                field(output, container, id, |output| begin(output, container, element, claim))
            })
        })
        .await;
        assert_eq!(
            error.kind(),
            ErrorKind::Protocol,
            "{protocol:?} {container:?} of {claim} {element:?}: {error}"
        );
        assert!(
            error.reason().starts_with("the reply is damaged: ")
                || error.reason() == "the reply ends in the middle of a value",
            "{error}"
        );
    }
}

/// Encodes a reply whose unknown field 99 has the value that `write` writes; the rest is missing.
fn result_of_unknown(
    protocol: Protocol,
    asked: &Asked,
    kind: TType,
    write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>,
) -> Vec<u8> {
    message(protocol, &asked.name, TMessageType::Reply, asked.sequence, |output| {
        output.write_struct_begin(&TStructIdentifier::new("any"))?;
        output.write_field_begin(&TFieldIdentifier::new("any", kind, 99))?;
        write(output)
    })
}

fn plain(output: &mut dyn TOutputProtocol, kind: TType) -> thrift::Result<()> {
    match kind {
        TType::Bool => output.write_bool(true),
        TType::I08 => output.write_i8(-1),
        TType::I16 => output.write_i16(-1),
        TType::I32 => output.write_i32(-1),
        TType::I64 => output.write_i64(-1),
        TType::Double => output.write_double(0.5),
        TType::String => output.write_bytes(&[0xFF, 0xFE]),
        TType::Struct => structure(output, |output| {
            field(output, TType::Bool, 1, |output| output.write_bool(false))?;
            field(output, TType::Map, 2, |output| {
                output.write_map_begin(&TMapIdentifier::new(TType::I32, TType::Bool, 0))
            })
        }),
        TType::Map => {
            output.write_map_begin(&TMapIdentifier::new(TType::Bool, TType::Struct, 1))?;
            plain(output, TType::Bool)?;
            plain(output, TType::Struct)
        }
        _ => {
            output.write_list_begin(&TListIdentifier::new(TType::Bool, 3))?;
            (0..3).try_for_each(|_| output.write_bool(false))
        }
    }
}

#[tokio::test]
async fn skips_unknown_fields_of_every_type() {
    for protocol in PROTOCOLS {
        let server = Raw::answering(move |asked| {
            reply(protocol, asked, |output| {
                for (id, kind) in (50..).zip(ELEMENTS) {
                    field(output, kind, id, |output| plain(output, kind))?;
                }
                field(output, TType::List, 0, |output| {
                    output.write_list_begin(&TListIdentifier::new(TType::String, 1))?;
                    output.write_bytes(b"a")
                })
            })
        })
        .await;
        let client = server.client(protocol);
        let splits = client.table_operations().list_splits("t", Some(10)).await;
        assert_eq!(splits.unwrap().into_iter().collect::<Vec<_>>(), ["a"]);
    }
}

#[tokio::test]
async fn the_exception_with_the_lowest_field_wins() {
    for protocol in PROTOCOLS {
        let error = refused(protocol, move |asked| {
            reply(protocol, asked, |output| {
                [3, 1].into_iter().try_for_each(|id| {
                    field(output, TType::Struct, id, |output| structure(output, |_| Ok(())))
                })
            })
        });
        assert_eq!(error.await.kind(), ErrorKind::Accumulo);
    }
}
