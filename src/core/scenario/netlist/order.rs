//! Gates in an order in which each comes after what it reads.

/// Sorts gates that read others in any order. `reads` gives the gates that a gate reads. `Err` is
/// a gate that reads itself, perhaps through others.
pub(super) fn sorted<'r>(
    count: usize,
    reads: impl Fn(usize) -> &'r [usize],
) -> Result<Vec<usize>, usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; count];
    let mut order = Vec::with_capacity(count);
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        stack.push((start, 0));
        while let Some((gate, place)) = stack.pop() {
            let Some(next) = reads(gate).get(place).copied() else {
                marks[gate] = Mark::Done;
                order.push(gate);
                continue;
            };
            stack.push((gate, place + 1));
            match marks[next] {
                Mark::Done => {}
                Mark::Open => return Err(next),
                Mark::New => {
                    marks[next] = Mark::Open;
                    stack.push((next, 0));
                }
            }
        }
    }
    Ok(order)
}
