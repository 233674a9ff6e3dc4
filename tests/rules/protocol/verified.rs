use debate_core::protocol::{Protocol, ProtocolKind};

#[test]
fn verified_wraps_protocols_with_a_circuit_verifier() {
    for text in [
        "Verified(Descent)",
        "Verified(Quantifiers(verifier: Direct))",
    ] {
        let protocol = Protocol::parse(text).unwrap();
        assert_eq!(protocol.kind(), ProtocolKind::Verified);
        assert_eq!(protocol.to_string(), text);
    }
    let spaced = Protocol::parse(" Verified( Descent ) ").unwrap();
    assert_eq!(spaced.to_string(), "Verified(Descent)");
}

#[test]
fn verified_refuses_other_protocols() {
    for (text, why) in [
        (
            "Verified(Recursive)",
            "the verifier of Recursive is not a circuit",
        ),
        (
            "Verified(Bisection)",
            "the verifier of Bisection is not a circuit",
        ),
        (
            "Verified(Quantifiers(verifier: CrossExamined))",
            "the verifier of Quantifiers is not a circuit",
        ),
        (
            "Verified(Verified(Descent()))",
            "the verifier of Verified is not a circuit",
        ),
        ("Verified(Chess)", "Chess"),
        ("Verified", "write it as Verified(Descent)"),
        ("Verified()", "write it as Verified(Descent)"),
    ] {
        let error = Protocol::parse(text).expect_err(text).to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
