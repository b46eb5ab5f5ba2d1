//! Applications: their creation, their removal, and the coordination of their processes.

#![cfg(test)]

mod application_life;
mod coordination_embedded;
mod coordination_memory;
mod coordination_removal;
mod instance;
