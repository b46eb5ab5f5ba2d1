//! What holds for every design, and the exact cases of each.

mod exact_digest_salt;
mod exact_modulo;
mod laws;
