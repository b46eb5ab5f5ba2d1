//! The queues of recipes with workers: on an in-memory table, with the vectors of Apache Fluo
//! Recipes and with input that breaks it.

#![cfg(test)]

mod against_a_model;
mod backlog;
mod bad_input;
mod blind_exports;
mod combine;
mod export;
mod fixture;
mod java;
mod late_exports;
mod metrics;
mod operating;
mod rebucket;
mod refused_exports;
mod sink;
