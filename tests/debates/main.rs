//! Debates through the library: the rules, the players, scenarios and saves.

mod acceptance;
#[path = "../support/large.rs"]
mod arguments;
mod at_scale;
mod bisection;
mod bundled;
#[path = "../support/computed.rs"]
mod computed;
mod cross_examination;
mod descent;
mod enumerators;
mod errata;
mod exports;
#[path = "../support/full.rs"]
mod full;
mod golden;
mod headless;
mod large;
mod malformed;
#[path = "../support/pairs.rs"]
mod pairs;
mod perspective;
#[path = "../support/played.rs"]
mod played;
mod properties;
mod saves;
mod sentences;
mod shared_data;
mod shared_vectors;
#[path = "../support/trees.rs"]
mod trees;
mod values;
#[path = "../support/vector_circuits.rs"]
mod vector_circuits;
#[path = "../support/vectors.rs"]
mod vectors;
