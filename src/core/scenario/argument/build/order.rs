//! Claims after their subclaims, and how large that makes an argument.

use super::Links;
use crate::scenario::argument::ArgumentSpec;
use crate::scenario::decomposition::Size;
use crate::scenario::flaw::{Flaw, Path};

/// All claims below the root, every claim after its subclaims; an error where a claim supports
/// itself. Iterative: a chain of claims may be as deep as the file is long.
pub(super) fn order(
    nodes: &[Links],
    root: usize,
    spec: &ArgumentSpec,
    at: &Path,
) -> Result<Vec<usize>, Flaw> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let starts = std::iter::once(root).chain(0..nodes.len());
    for start in starts {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut stack = vec![(start, 0_usize, 0_usize)];
        while let Some((place, support, child)) = stack.pop() {
            let Some(children) = nodes[place].0.get(support) else {
                marks[place] = Mark::Done;
                order.push(place);
                continue;
            };
            let Some(next) = children.get(child).copied() else {
                stack.push((place, support + 1, 0));
                continue;
            };
            stack.push((place, support, child + 1));
            match marks[next] {
                Mark::Done => {}
                Mark::New => {
                    marks[next] = Mark::Open;
                    stack.push((next, 0, 0));
                }
                Mark::Open => {
                    let path = at.then("claims").entry(&spec.claims[place].0);
                    return Err(path
                        .then("supports")
                        .item(support)
                        .then("on")
                        .item(child)
                        .flaw(format_args!(
                            "{:?} would support itself through this subclaim; break the cycle",
                            spec.claims[next].0
                        )));
                }
            }
        }
    }
    Ok(order)
}

pub(super) fn sizes(nodes: &[Links], root: usize, order: &[usize]) -> (Size, Vec<u64>) {
    let mut depth = vec![0_u32; nodes.len()];
    let mut leaves = vec![0_u64; nodes.len()];
    for place in order.iter().copied() {
        let children = || nodes[place].0.iter().flatten().copied();
        depth[place] = children().map(|child| depth[child] + 1).max().unwrap_or(0);
        leaves[place] = if nodes[place].0.is_empty() {
            1
        } else {
            children().fold(0, |sum, child| sum.saturating_add(leaves[child]))
        };
    }
    // Only what the root can reach is debated.
    let mut reached = vec![false; nodes.len()];
    let mut open = vec![root];
    reached[root] = true;
    while let Some(place) = open.pop() {
        for child in nodes[place].0.iter().flatten().copied() {
            if !std::mem::replace(&mut reached[child], true) {
                open.push(child);
            }
        }
    }
    let within = || nodes.iter().zip(&reached).filter(|(_, reached)| **reached);
    let width = within()
        .flat_map(|(node, _)| &node.0)
        .map(Vec::len)
        .max()
        .unwrap_or(0);
    let size = Size {
        depth: depth[root],
        width: u32::try_from(width).unwrap_or(u32::MAX),
        claims: within().count().into(),
        leaves: within()
            .filter(|(node, _)| node.0.is_empty())
            .count()
            .into(),
    };
    (size, leaves)
}
