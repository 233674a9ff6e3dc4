use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use debate_core::budget::{Budget, Exceeded};

#[test]
fn a_budget_ends_with_what_raises_it_and_at_a_sign() {
    let stop = AtomicBool::new(false);
    let progress = AtomicU64::new(0);
    let budget = Budget {
        steps: 1000,
        flag: Some("--max-replies"),
        stop: Some(&stop),
        progress: Some(&progress),
    };
    for steps in 1..=1000 {
        budget.taken(steps, "replies").unwrap();
    }
    assert_eq!(progress.load(Ordering::Relaxed), 1024);
    let over = budget.taken(1001, "replies").unwrap_err();
    let text = "this takes more than 1000 replies; raise --max-replies, or ask for less";
    assert_eq!(over.to_string(), text);
    stop.store(true, Ordering::Relaxed);
    assert_eq!(budget.go_on(), Err(Exceeded::Stopped));
    assert_eq!(budget.taken(257, "replies"), Err(Exceeded::Stopped));
}
