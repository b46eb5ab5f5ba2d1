//! Functions, their lines, and calls that can panic.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprMethodCall, ImplItemFn, Item, ItemFn, Macro, Signature, TraitItemFn,
    Visibility,
};

/// Measures of functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Functions {
    /// The lines of each function with a body, from its signature to its end.
    pub(super) lines: Vec<usize>,
    /// Calls of `unwrap` and `expect`, and uses of `panic!`.
    pub(super) panics: [usize; 3],
    pub(super) public: usize,
    /// Functions that are `pub(crate)` or public in an inner module.
    pub(super) internal: usize,
}

impl Functions {
    pub(super) fn add_items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.visit_item(item));
    }

    pub(super) fn add(&mut self, other: &Functions) {
        self.lines.extend(&other.lines);
        for (count, more) in self.panics.iter_mut().zip(other.panics) {
            *count += more;
        }
        self.public += other.public;
        self.internal += other.internal;
    }

    fn add_function(&mut self, sig: &Signature, body: &Block) {
        let (first, last): (Span, Span) = (sig.span(), body.span());
        let lines = last.end().line.saturating_sub(first.start().line);
        self.lines.push(lines + 1);
    }

    fn add_visibility(&mut self, vis: &Visibility) {
        match vis {
            Visibility::Public(_) => self.public += 1,
            Visibility::Restricted(_) => self.internal += 1,
            Visibility::Inherited => {}
        }
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.add_visibility(&item.vis);
        self.add_function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.add_visibility(&item.vis);
        self.add_function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        if let Some(body) = &item.default {
            self.add_function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        // A parser may have a method `expect` of its own.
        let is_own = matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self"));
        let [unwrap, expect, _] = &mut self.panics;
        match call.method.to_string().as_str() {
            "unwrap" if !is_own => *unwrap += 1,
            "expect" if !is_own => *expect += 1,
            _ => {}
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, called: &'a Macro) {
        let [.., panic] = &mut self.panics;
        *panic += usize::from(called.path.is_ident("panic"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_functions() {
        let text = "\
/// Not a line of it.
#[inline]
pub fn a() -> u8 {
    fn inner() {}
    Some(1).unwrap()
}
impl A {
    pub(crate) fn b(&self) { self.c.expect(\"c\"); self.expect(1); panic!(\"b\") }
    pub(super) fn c(&self) {}
}
trait T {
    fn d(&self);
    fn e(&self) {
    }
}
";
        let mut functions = Functions::default();
        functions.add_items(&syn::parse_file(text).unwrap().items);
        let expected = Functions {
            lines: vec![4, 1, 1, 1, 2],
            panics: [1, 1, 1],
            public: 1,
            internal: 2,
        };
        assert_eq!(functions, expected);
    }
}
