//! The screens of a debate, driven by keys as a person would, and looked at as text.

#[path = "support/picture.rs"]
mod picture;
#[path = "support/play.rs"]
mod play;
#[path = "support/scenes.rs"]
mod scenes;

/// Runs as a program that plays when asked to, else does nothing.
#[test]
fn trial() {
    play::run_if_asked();
}
