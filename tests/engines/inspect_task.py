"""A task for Inspect: a model sits in one seat of debates, built-in players in the others."""
import asyncio, json, os
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, ResponseSchema, get_model
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import solver
from inspect_ai.tool import mcp_connection, mcp_server_stdio
from inspect_ai.util import JSONSchema

COMMAND, PIPE = os.environ.get("DEBATE_TUI", "debate-tui"), asyncio.subprocess.PIPE

def reply_in(text):
    """The last JSON object of an answer: it may stand in a fenced block or among words. An
    answer without one is returned as it is: it is no reply, and the model is told so."""
    found, at = text, text.find("{")
    while at >= 0:
        try:
            found, at = json.JSONDecoder().raw_decode(text, at)
        except ValueError:
            at += 1
        at = text.find("{", at)
    return found

@solver
def debater(seat):
    """The task calls the model for each request, by `serve`. A reply that is not legal is asked
    for once more, with the reason; then the model has lost."""
    async def solve(state, generate):
        model, serve = get_model(role=seat), ["serve", "--stdio", "--no-save"]
        program = await asyncio.create_subprocess_exec(
            COMMAND, *serve, stdin=PIPE, stdout=PIPE, limit=1 << 24)
        send = lambda **line: program.stdin.write(json.dumps(line).encode() + b"\n")
        send(type="new", seats=[seat], **state.metadata)
        async for line in program.stdout:
            said = json.loads(line)
            if said["type"] == "illegal" and retried:
                send(type="forfeit", debate=act["debate"], fault="illegal")
            elif said["type"] in ("act", "illegal"):
                retried = said["type"] == "illegal"
                act = said if said["type"] == "act" else act
                text = act["text"] if said is act else f"This is not legal: {said['why']}"
                state.messages.append(ChatMessageUser(content=text))
                legal = JSONSchema(**act["legal"])
                legal = ResponseSchema(name="reply", json_schema=legal, strict=True)
                config = GenerateConfig(response_schema=legal)
                output = await model.generate(state.messages, config=config)
                state.messages.append(output.message)
                reply = reply_in(output.completion)
                send(type="reply", debate=act["debate"], id=act["id"], reply=reply)
            elif said["type"] == "end":
                state.store.set("end", said)
                send(type="bye")
            elif said["type"] == "error":
                raise RuntimeError(said["why"])
        return state
    return solve

@solver
def tool_user(seat):
    """The model itself calls the tools of `mcp`."""
    async def solve(state, generate):
        debates = mcp_server_stdio(command=COMMAND, args=["mcp"], env=dict(os.environ))
        task = {"seats": [seat], **state.metadata}
        state.messages = [ChatMessageUser(content=(
            f"Play the {seat} of a debate to its end. Call `start` with {json.dumps(task)}, "
            "then `view` and `reply` until `state` is over, and at last `result`."))]
        async with mcp_connection(debates):
            model = get_model(role=seat)
            said, state.output = await model.generate_loop(state.messages, tools=debates)
        state.messages += said
        ends = [one.text for one in said
                if getattr(one, "function", "") == "result" and not one.error]
        if ends:  # else it stopped before the debate was over
            state.store.set("end", json.loads(ends[-1]))
        return state
    return solve

@scorer(metrics={"reward": [mean()], "answer_correct": [mean()]})
def outcome():
    async def score(state, target):
        end = state.store.get("end")
        debate = end["outcome"] if end else {"outcome": "not over"}
        if debate["outcome"] != "finished":
            why = "The model gave up." if end else "The model stopped before the end."
            return Score(value={"reward": 0, "answer_correct": 0}, explanation=why)
        top, _, bottom = (end["reward"] or "0").partition("/")
        correct = debate["answer"] == debate["truth"]
        value = {"reward": int(top) / int(bottom or 1), "answer_correct": float(correct)}
        return Score(value=value, explanation=f"Alice received {debate['payoff_exact']}.")
    return score

@task
def debates(scenario="primes-small", seat="opponent", samples=10, tools=False):
    seeds = [str(seed) for seed in range(1, samples + 1)]
    dataset = [Sample(input=scenario, id=seed, metadata={"scenario": scenario, "seed": seed})
               for seed in seeds]
    plays = tool_user(seat) if tools else debater(seat)
    return Task(dataset=dataset, solver=plays, scorer=outcome())
