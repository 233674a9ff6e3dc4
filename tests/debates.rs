//! Debates through the library: the rules, the players, scenarios and saves.

mod acceptance;
mod at_scale;
mod bisection;
mod bundled;
mod cross_examination;
mod descent;
mod enumerators;
mod errata;
mod exports;
mod first_opponent;
mod golden;
mod headless;
mod large;
mod malformed;
mod perspective;
mod properties;
mod saves;
mod sentences;
mod shared_data;
mod shared_vectors;
mod study_requests;
mod text_files;
mod values;
