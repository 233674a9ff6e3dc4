use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use debate_core::budget::{ComputationBudget, ComputationStopReason};

#[test]
fn an_exceeded_budget_names_its_flag_and_a_stop_ends_it() {
    let stop = AtomicBool::new(false);
    let progress = AtomicU64::new(0);
    let budget = ComputationBudget {
        steps: 1000,
        flag: Some("--max-replies"),
        stop: Some(&stop),
        progress: Some(&progress),
    };
    for steps in 1..=1000 {
        budget.check_total_steps(steps, "replies").unwrap();
    }
    assert_eq!(progress.load(Ordering::Relaxed), 1024);
    let over = budget.check_total_steps(1001, "replies").unwrap_err();
    let text = "the computation takes more than 1000 replies; raise --max-replies, or choose a smaller computation";
    assert_eq!(over.to_string(), text);
    stop.store(true, Ordering::Relaxed);
    assert_eq!(
        budget.check_not_cancelled(),
        Err(ComputationStopReason::Stopped)
    );
    assert_eq!(
        budget.check_total_steps(257, "replies"),
        Err(ComputationStopReason::Stopped)
    );
}
