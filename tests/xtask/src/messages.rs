//! The length of messages for users: at most 20 words.
//!
//! A message is a text in a function of the product or in an attribute `error`: the texts of
//! `bail!`, `anyhow!`, `format!` and `println!`, and those that an error is made of. The texts of
//! other attributes, such as the help of a command, and constants are no messages.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Item, LitStr};

use crate::source::Crate;

const MAX_WORDS: usize = 20;

/// Returns the messages of the product that are too long.
pub(crate) fn find(crates: &[Crate]) -> Vec<String> {
    let mut findings = Vec::new();
    for one in crates.iter().filter(|one| one.is_product) {
        for file in &one.files {
            for item in &file.items {
                add(item, &file.path, &mut findings);
            }
        }
    }
    findings
}

fn add(item: &Item, file: &str, found: &mut Vec<String>) {
    match item {
        Item::Const(_) | Item::Static(_) => {}
        Item::Mod(item) => {
            let inner = item.content.as_ref();
            let inner = inner.into_iter().flat_map(|(_, items)| items);
            inner.for_each(|item| add(item, file, found));
        }
        _ => walk(item.to_token_stream(), file, found),
    }
}

fn walk(tokens: TokenStream, file: &str, found: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                // An attribute; a raw identifier is one token with its `#`.
                if let Some(TokenTree::Group(attribute)) = tokens.next_if(is_group) {
                    let is_error = attribute.stream().to_string().starts_with("error");
                    if is_error {
                        walk(attribute.stream(), file, found);
                    }
                }
            }
            TokenTree::Group(group) => walk(group.stream(), file, found),
            TokenTree::Literal(literal) => {
                let line = literal.span().start().line;
                let text = syn::parse_str::<LitStr>(&literal.to_string());
                let text = text.map(|text| text.value()).unwrap_or_default();
                let words = text.split_whitespace().count();
                if words > MAX_WORDS {
                    found.push(format!(
                        "{file}:{line}: a message of {words} words; say it in {MAX_WORDS}"
                    ));
                }
            }
            _ => {}
        }
    }
}

fn is_group(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tests::library;

    #[test]
    fn counts_the_words_of_messages() {
        let long = "word ".repeat(21);
        let short = "word ".repeat(20);
        let text = format!(
            "const HELP: &str = \"{long}\";
             /// {long}
             #[derive(Error)]
             enum E {{
                 #[error(\"{long}\")] A,
                 #[doc = \"{long}\"] B,
                 #[error(\"{short}\")] C,
             }}
             mod inner {{
                 fn f() {{ bail!(\"{long}\") }}
                 fn g() {{ Err(Error::new(\"{short}\")) }}
                 fn h() {{ Err(Error::new(\"a \\
                     {long}\")) }}
             }}"
        );
        let one = library(&[("one/src/lib.rs", &text)]).unwrap();
        let expected = [(5, 21), (10, 21), (12, 22)].map(|(line, words)| {
            format!("one/src/lib.rs:{line}: a message of {words} words; say it in 20")
        });
        assert_eq!(find(&[one]), expected);
    }
}
