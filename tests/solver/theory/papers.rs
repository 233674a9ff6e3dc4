use debate_core::protocol::Kind;
use debate_solver::theory::papers::{Statement, standings, statements};

#[test]
fn the_file_is_read_and_what_protocols_rest_on_is_in_it() {
    let read: Result<Vec<Statement>, _> =
        ron::from_str(include_str!("../../../src/solver/theory/papers.ron"));
    assert_eq!(read.expect("statements").len(), statements().len());
    assert!(statements().iter().all(|one| one.standing().is_some()));
    let counts = Kind::ALL.iter().map(|kind| standings(*kind).len());
    assert_eq!(counts.sum::<usize>(), 13);
}
