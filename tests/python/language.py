"""Runs a rollout of the environment for language models with a scripted endpoint on loopback."""

import asyncio
import http.server
import itertools
import json
import os
import random
import threading
from fractions import Fraction
from importlib.metadata import version

import debate_tui
import verifiers.v1 as vf
from verifiers.v1.utils.loaders import load_environment, resolve_env_config


def value(schema, rng):
    """Returns a random value that matches a strict schema."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return value(schema["anyOf"][0], rng)
    if "properties" in schema:
        return {name: value(part, rng) for name, part in schema["properties"].items()}
    usual = {"boolean": rng.random() < 0.5, "number": 0.5, "integer": 0, "array": []}
    return usual.get(schema["type"], "So it is.")


#: The loss in the worst case of an opponent in `primes-small`: the sum of the weights of all rounds.
with debate_tui.Session() as session:
    weights = [one["weight"] for one in session.solve("primes-small").data["by_round"]]
LEAST = -sum(weights)


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Answers with a value that matches the schema in the last message; the model `stubborn` never does."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = next(it["content"] for it in reversed(asked["messages"]) if "matches this schema: " in str(it["content"]))
        text = text if isinstance(text, str) else text[0]["text"]
        reply = value(json.loads(text.rsplit("matches this schema: ", 1)[1]), random.Random(len(text)))
        content = "I will not." if asked["model"] == "stubborn" else f"```json\n{json.dumps(reply)}\n```"
        assert asked["stream"], asked
        message = {"role": "assistant", "content": content}
        body = {
            "id": "1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "delta": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }
        out = f"data: {json.dumps(body)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(out)))
        self.end_headers()
        self.wfile.write(out)


async def episode(port: int, model: str, number: int = 0, **changes):
    os.environ["SCRIPTED_KEY"] = "none"
    box = {"runtime": {"type": "subprocess"}}
    config = resolve_env_config(
        {"taskset": {"id": "debate-language", **changes.pop("taskset", {})}, "prover": box, "opponent": box, "judge": box, **changes}
    )
    env = load_environment(config)
    client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{port}/v1", api_key_var="SCRIPTED_KEY")
    context = vf.ModelContext(model=model, client=client, sampling=vf.SamplingConfig())
    task = next(itertools.islice(env.taskset, number, None))
    async with env.serving():
        return await env.run_slot(env.slots(task)[0], context)


def rewards(episode):
    assert not episode.errors, episode.errors
    assert episode.ok, [trace.errors for trace in episode.traces]
    return {trace.agent.name: {name: it.score for name, it in trace.rewards.items()} for trace in episode.traces}


async def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_port

    # Free speeches of two models, with a third model as the judge.
    played = await episode(port, "scripted")
    got = rewards(played)
    assert set(got) == {"prover", "opponent", "judge"}, got
    exact = {trace.agent.name: trace.info["debate"]["payoff_exact"] for trace in played.traces}["prover"]
    assert got["prover"]["payoff"] == float(Fraction(exact)) == -got["opponent"]["payoff"], (got, exact)
    assert 0.0 <= got["judge"]["probability_of_truth"] <= 1.0
    print(f"lighthouse: {got}")

    # One model against a built-in prover, with the oracle as the judge.
    got = rewards(await episode(
        port, "scripted", seats=["opponent"],
        taskset={"scenario": "primes-small", "seed": "7", "players": {"prover": "obfuscator"}},
    ))
    assert list(got) == ["opponent"], got
    print(f"primes-small: {got}")

    # Self-play of prover and estimator, with the oracle as the judge: the rewards are the exact payoffs.
    played = await episode(
        port, "scripted", number=3, seats=["prover", "opponent"],
        taskset={"scenario": "primes-small", "seed": "7", "players": {"judge": "oracle"}},
    )
    got = rewards(played)
    exact = float(Fraction(*{trace.info["debate"]["payoff_exact"] for trace in played.traces}))
    assert got == {"prover": {"payoff": exact}, "opponent": {"payoff": -exact}}, (got, exact)
    assert {trace.task.data.name for trace in played.traces} == {"primes-small#3"}
    print(f"primes-small, self-play: {got}")

    # A seat loses after two illegal replies.
    played = await episode(port, "stubborn", seats=["opponent"], taskset={"scenario": "primes-small", "seed": "7"})
    outcome = played.traces[0].info["debate"]
    assert abs(rewards(played)["opponent"]["payoff"] - LEAST) < 1e-9, (rewards(played), LEAST)
    assert outcome["forfeit"] == {"seat": "opponent", "fault": "illegal"}


asyncio.run(main())
print(f"verifiers {version('verifiers')}")
print("ok")
