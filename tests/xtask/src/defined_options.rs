//! The items that macros define: `options` of the engine, `setters` and `operations` of
//! `accumulo-proxy`.

use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Expr, Ident, Item, LitStr, Token, Type, Visibility, braced, bracketed, parse_quote,
};

/// Adds the structures and the methods that each use of the macros defines to the items.
pub(crate) fn expand(items: &mut Vec<Item>) -> syn::Result<()> {
    let mut defined = Vec::new();
    for item in items.iter() {
        let Item::Macro(item) = item else {
            continue;
        };
        let (mac, name) = (&item.mac, item.mac.path.get_ident());
        match name.map(ToString::to_string).as_deref() {
            Some("options") => defined.extend(mac.parse_body::<Options>()?.items()),
            Some("setters") => defined.push(mac.parse_body::<Setters>()?.0),
            Some("operations") => defined.extend(mac.parse_body::<Operations>()?.0),
            _ => {}
        }
    }
    items.append(&mut defined);
    Ok(())
}

/// A use of `setters`: the methods of options.
struct Setters(Item);

impl Parse for Setters {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let owner: Ident = input.parse()?;
        let body;
        braced!(body in input);
        let mut setters = Vec::new();
        while !body.is_empty() {
            body.call(Attribute::parse_outer)?;
            setters.push(body.parse::<Ident>()?);
            body.parse::<Token![:]>()?;
            body.parse::<Type>()?;
            body.parse::<Token![,]>()?;
        }
        Ok(Self(parse_quote!(impl #owner { #(pub fn #setters(self) {})* })))
    }
}

/// A use of `operations`: a group of operations, and the method that returns it.
struct Operations([Item; 2]);

impl Parse for Operations {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        let name: Ident = input.parse()?;
        input.parse::<Token![,]>()?;
        let accessor: Ident = input.parse()?;
        input.parse::<Token![,]>()?;
        input.parse::<LitStr>()?;
        input.parse::<Token![,]>()?;
        input.parse::<Ident>()?;
        let method = parse_quote!(impl ProxyClient { pub fn #accessor(&self) {} });
        Ok(Self([parse_quote!(pub struct #name;), method]))
    }
}

/// A use of `options`.
struct Options {
    visibility: Visibility,
    name: Ident,
    owner: Ident,
    setters: Vec<Ident>,
}

impl Options {
    fn items(&self) -> [Item; 2] {
        let Self { visibility, name, owner, setters } = self;
        let setters = setters.iter().map(|setter| quote!(pub fn #setter(self) {}));
        [parse_quote!(#visibility struct #name;), parse_quote!(impl #owner { #(#setters)* })]
    }
}

impl Parse for Options {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<Token![struct]>()?;
        let name = input.parse()?;
        for word in ["set", "on"] {
            let found: Ident = input.parse()?;
            if found != word {
                return Err(syn::Error::new(found.span(), format!("expected `{word}`")));
            }
        }
        let owner = input.parse()?;
        let _through;
        bracketed!(_through in input);
        // The path of the options in their owner concerns no reader.
        _through.parse::<proc_macro2::TokenStream>()?;
        let body;
        braced!(body in input);
        let mut setters = Vec::new();
        while !body.is_empty() {
            body.call(Attribute::parse_outer)?;
            setters.push(body.parse()?);
            body.parse::<Token![:]>()?;
            body.parse::<Type>()?;
            body.parse::<Token![=]>()?;
            body.parse::<Expr>()?;
            body.parse::<Token![,]>()?;
            body.parse::<Token![in]>()?;
            body.parse::<Expr>()?;
            body.parse::<Token![;]>()?;
        }
        // The rest lists the pauses that grow.
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Self { visibility, name, owner, setters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items;

    fn names(text: &str) -> Vec<(String, String)> {
        let mut items = syn::parse_file(text).unwrap().items;
        expand(&mut items).unwrap();
        let names = items::names(&items).into_iter();
        names.map(|name| (name.of.unwrap_or_default(), name.name)).collect()
    }

    fn expected<const N: usize>(names: [(&str, &str); N]) -> Vec<(String, String)> {
        names.map(|(of, name)| (of.to_owned(), name.to_owned())).into()
    }

    #[test]
    fn finds_the_structure_and_the_setters() {
        let text = "options! { pub struct A set on B [.a] { /// Sets it.\n x: u8 = 1, in 1..; y: u8 = 2, in ..; } }";
        assert_eq!(names(text), expected([("", "A"), ("B", "x"), ("B", "y")]));
    }

    #[test]
    fn finds_the_names_of_the_proxy() {
        let text = "setters! { A { /// Sets it.\n x: u8, y: u8, } }\n\
                    operations! { /// Some.\n B, b, \"some\", calls }";
        let found = [("A", "x"), ("A", "y"), ("", "B"), ("ProxyClient", "b")];
        assert_eq!(names(text), expected(found));
    }
}
