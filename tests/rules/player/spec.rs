use debate_core::player::{
    MAX_SPEC, PlayerSpec, PlayerSpecError, is_outside_player_name, player_name_without_arguments,
};

#[test]
fn names_and_arguments_are_read() {
    let spec = PlayerSpec::parse(" stubborn( 0.5 ) ").unwrap();
    assert_eq!(
        spec,
        PlayerSpec {
            name: "stubborn".into(),
            arguments: vec!["0.5".into()]
        }
    );
    assert_eq!(spec.to_string(), "stubborn(0.5)");
    assert_eq!(
        PlayerSpec::parse("best-response").unwrap().to_string(),
        "best-response"
    );
}

#[test]
fn the_limit_of_a_name_counts_characters() {
    let text = |count: usize| format!("engine:{}", "é".repeat(count - "engine:".len()));
    assert!(PlayerSpec::parse(&text(MAX_SPEC)).is_ok());
    assert_eq!(
        PlayerSpec::parse(&text(MAX_SPEC + 1)),
        Err(PlayerSpecError::TooLong)
    );
}

#[test]
fn a_command_line_is_read_verbatim() {
    let spec = PlayerSpec::parse(" engine: python3 'my bob.py' (1, 2) ").unwrap();
    assert_eq!(
        spec.command_or_model_name(),
        Some("python3 'my bob.py' (1, 2)")
    );
    assert_eq!(spec.to_string(), "engine:python3 'my bob.py' (1, 2)");
    assert_eq!(
        player_name_without_arguments(&spec.to_string()),
        spec.to_string()
    );
    assert_eq!(PlayerSpec::parse(&spec.to_string()), Ok(spec));
    assert_eq!(
        PlayerSpec::without_arguments("human").command_or_model_name(),
        None
    );
}

#[test]
fn options_of_an_engine_precede_its_command() {
    let spec = PlayerSpec::parse("engine( style = short,t=0.7 ): python3 bob.py (1)").unwrap();
    assert_eq!(spec.command_or_model_name(), Some("python3 bob.py (1)"));
    let options: Vec<_> = spec.engine_or_model_options().collect();
    assert_eq!(options, [("style", "short"), ("t", "0.7")]);
    let written = spec.to_string();
    assert_eq!(written, "engine(style=short, t=0.7):python3 bob.py (1)");
    assert!(is_outside_player_name(&written));
    assert_eq!(player_name_without_arguments(&written), written);
    assert_eq!(PlayerSpec::parse(&written), Ok(spec));
    assert_eq!(
        PlayerSpec::parse("engine():cat"),
        PlayerSpec::parse("engine:cat")
    );
    assert_eq!(
        PlayerSpec::parse("stubborn(a=b)")
            .unwrap()
            .engine_or_model_options()
            .count(),
        0
    );
}

#[test]
fn only_one_player_takes_a_file() {
    let spec = |text| PlayerSpec::parse(text).unwrap();
    assert_eq!(
        spec("trained(a/b (1).ron)").player_file_argument(),
        Some("a/b (1).ron")
    );
    for text in ["trained", "trained(a, b)", "stubborn(a.ron)"] {
        assert_eq!(spec(text).player_file_argument(), None, "{text}");
    }
}

#[test]
fn other_player_names_are_refused() {
    for text in [
        "",
        "(",
        "a(",
        "a()",
        "a(1",
        "A",
        "a b",
        "a(1,)",
        "\u{1b}[2J",
        "engine:",
        "engine: ",
        "engine:\u{1b}[2J",
        "engine(a=1)",
        "engine(a=1):",
        "engine(a):cat",
        "engine(=1):cat",
        "engine(a=1, a=2):cat",
    ] {
        assert!(PlayerSpec::parse(text).is_err(), "{text:?}");
    }
}
