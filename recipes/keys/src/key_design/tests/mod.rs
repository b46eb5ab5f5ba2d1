//! The rules for every design, and the exact cases of each.

mod exact_composite;
mod exact_digest_salt;
mod exact_modulo;
mod exact_random_salt;
mod exact_reverse_time;
mod exact_reversed;
mod exact_web_table;
mod golden_web_table;
mod laws;
mod laws_web_table;
mod messages;
mod newest_first;
mod range_pruning;
mod real_pages;
mod shape_web_table;
