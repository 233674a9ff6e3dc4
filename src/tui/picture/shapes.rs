//! Lines and blocks as shapes: fonts disagree about them, and leave gaps between the rows.

use std::fmt::Write as _;

/// The widths of thin and thick lines.
const THIN: f32 = 1.2;
const THICK: f32 = 2.6;

/// Arms of a line towards the left, right, top and bottom, each 0, thin or thick.
fn arms(sign: char) -> Option<[f32; 4]> {
    let thin = |arms: [u8; 4]| Some(arms.map(|arm| f32::from(arm) * THIN));
    let thick = |arms: [u8; 4]| Some(arms.map(|arm| f32::from(arm) * THICK));
    match sign {
        '─' => thin([1, 1, 0, 0]),
        '│' => thin([0, 0, 1, 1]),
        '┌' => thin([0, 1, 0, 1]),
        '┐' => thin([1, 0, 0, 1]),
        '└' => thin([0, 1, 1, 0]),
        '┘' => thin([1, 0, 1, 0]),
        '├' => thin([0, 1, 1, 1]),
        '┤' => thin([1, 0, 1, 1]),
        '┬' => thin([1, 1, 0, 1]),
        '┴' => thin([1, 1, 1, 0]),
        '┼' => thin([1, 1, 1, 1]),
        '━' => thick([1, 1, 0, 0]),
        '┃' => thick([0, 0, 1, 1]),
        '┏' => thick([0, 1, 0, 1]),
        '┓' => thick([1, 0, 0, 1]),
        '┗' => thick([0, 1, 1, 0]),
        '┛' => thick([1, 0, 1, 0]),
        _ => None,
    }
}

/// The top and the bottom of a block in its cell, as shares.
fn block(sign: char) -> Option<(f32, f32)> {
    Some(match sign {
        '▀' => (0.0, 0.5),
        '▔' => (0.0, 0.125),
        '▁'..='█' => {
            let eighths = u32::from(sign) - u32::from('▁') + 1;
            (
                1.0 - f32::from(u8::try_from(eighths).unwrap_or(8)) / 8.0,
                1.0,
            )
        }
        _ => return None,
    })
}

/// True if a sign is drawn as a shape.
pub(super) fn is_shape(sign: char) -> bool {
    arms(sign).is_some() || block(sign).is_some()
}

/// The shapes of some cells of a row, each with where its cell begins, as the data of a path.
pub(super) fn path(signs: &[(f32, char)], top: f32, cell: (f32, f32)) -> String {
    let mut out = String::new();
    let mut rect = |x: f32, y: f32, width: f32, height: f32| {
        // Writing to a string cannot fail.
        let _ = write!(out, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h-{width:.1}z");
    };
    for (left, sign) in signs {
        if let Some((from, to)) = block(*sign) {
            rect(*left, top + from * cell.1, cell.0, (to - from) * cell.1);
        }
        let Some([west, east, north, south]) = arms(*sign) else {
            continue;
        };
        let (middle, line) = (left + cell.0 / 2.0, top + cell.1 / 2.0);
        let half = west.max(east).max(north).max(south) / 2.0;
        if west + east > 0.0 {
            let from = if west > 0.0 { *left } else { middle - half };
            let to = if east > 0.0 {
                left + cell.0
            } else {
                middle + half
            };
            rect(from, line - half, to - from, 2.0 * half);
        }
        if north + south > 0.0 {
            let from = if north > 0.0 { top } else { line - half };
            let to = if south > 0.0 {
                top + cell.1
            } else {
                line + half
            };
            rect(middle - half, from, 2.0 * half, to - from);
        }
    }
    out
}
