//! Asks the terminal whether its background is dark or light (OSC 11).

use std::time::Duration;

use terminal_colorsaurus::{QueryOptions, background_color};

use crate::tui::theme::Background;

/// The wait for an answer. A terminal that does not know the question answers the one
/// after it (DA1), so only one that answers nothing at all takes this long.
const PATIENCE: Duration = Duration::from_millis(500);
/// Backgrounds that look lighter than this, from 0 to 1, are light.
const LIGHT: f32 = 0.5;

/// Asks the terminal. `None`: it did not answer in time, or not to this. Nobody else may read the
/// terminal meanwhile.
pub(super) fn ask() -> Option<Background> {
    let mut options = QueryOptions::default();
    options.timeout = PATIENCE;
    let answer = background_color(options).inspect_err(|error| {
        tracing::debug!(%error, "the terminal does not say how light it is");
    });
    let background = if answer.ok()?.perceived_lightness() > LIGHT {
        Background::Light
    } else {
        Background::Dark
    };
    tracing::debug!(?background, "the terminal was asked");
    Some(background)
}
