"""Tests frames of pandas and polars: one row for each round, point or scenario, and scalar columns."""

import debate_tui


def columns(frame) -> dict[str, list]:
    lists = frame.to_dict(as_series=False) if hasattr(frame, "to_dicts") else frame.to_dict(orient="list")
    for name, values in lists.items():
        assert not any(isinstance(value, (list, dict)) for value in values), name
    return lists


with debate_tui.Session() as s:
    solved = s.solve("primes-small")
    exact = s.solve("primes-small", exact=True)
    swept = s.solve("primes-small", sweep="epsilon=0.1..0.4:3")
    simulated = s.simulate("primes-small", n=20, seed=7)
    versus = s.simulate("primes-small", n=20, seed=7, versus="honest")
    recursive = s.solve("primes-recursive")
    checked = s.check("primes-small")
    for library in ("pandas", "polars"):
        rounds = columns(solved.frame(library))
        count = len(solved.data["by_round"])
        # The document lists the rounds in playing order; the initial round is before the first one.
        assert rounds["round"] == list(range(count - 1, -1, -1)), rounds["round"]
        assert rounds["is_initial"] == [True] + [False] * (count - 1)
        assert rounds["value"] == [solved.data["value"]] * count
        assert rounds["expected"] == [one["expected"] for one in solved.data["by_round"]]
        assert "ledger_by_seat.judge.calls" in rounds
        assert columns(exact.frame(library))["expected"] == [one["expected"] for one in exact.data["by_round"]]
        assert not any(columns(recursive.frame(library))["is_initial"])

        points = columns(swept.frame(library))
        assert points["epsilon"] == [0.1, 0.25, 0.4], points["epsilon"]
        assert points["value"] == [point["value"] for point in swept.data["points"]]

        means = columns(simulated.frame(library))
        assert means["ci95.low"] == [simulated.data["ci95"][0]] * count
        assert set(means["side"]) == {"first"}
        sides = columns(versus.frame(library))
        assert sides["side"] == ["first"] * count + ["versus"] * count
        assert sides["players.prover"][-1] == "honest" != sides["players.prover"][0]
        assert sides["seed"] == ["7"] * (2 * count)

        assert columns(checked.frame(library))["depth"] == [checked.data["depth"]]
    try:
        solved.frame("nowhere")
    except debate_tui.DebateError as error:
        assert "pip install nowhere" in str(error), error
    else:
        raise AssertionError("an unknown library was accepted")
print("ok")
