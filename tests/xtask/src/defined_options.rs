//! The items that the macro `options` of the engine defines.

use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, Item, Token, Type, Visibility, braced, bracketed, parse_quote};

/// Adds the structure of each use of the macro, and the setters of its owner, to the items.
pub(crate) fn expand(items: &mut Vec<Item>) -> syn::Result<()> {
    let mut defined = Vec::new();
    for item in items.iter() {
        if let Item::Macro(item) = item
            && item.mac.path.is_ident("options")
        {
            defined.extend(item.mac.parse_body::<Options>()?.items());
        }
    }
    items.append(&mut defined);
    Ok(())
}

/// A use of the macro.
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
        Ok(Self { visibility, name, owner, setters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items;

    #[test]
    fn finds_the_structure_and_the_setters() {
        let text = "options! { pub struct A set on B [.a] { /// Sets it.\n x: u8 = 1, in 1..; y: u8 = 2, in ..; } }";
        let mut items = syn::parse_file(text).unwrap().items;
        expand(&mut items).unwrap();
        let names = items::names(&items);
        let names = names.iter().map(|name| (name.of.as_deref().unwrap_or(""), name.name.as_str()));
        assert_eq!(names.collect::<Vec<_>>(), [("", "A"), ("B", "x"), ("B", "y")]);
    }
}
