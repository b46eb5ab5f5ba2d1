//! The pages of the command in a real browser: in both themes, at the widths of a phone and of a
//! desktop.

#![cfg(test)]

mod advise_page;
mod browser;
#[path = "../command/mod.rs"]
mod command;
mod monitor;
