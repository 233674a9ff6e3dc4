"""A client of `debate-tui mcp` with the Python package `mcp`; plays a debate to its end. Arguments: the program, the
folder of saves, the mode of the client (`legacy` sends `initialize`; a revision such as 2026-07-28 does not)."""
import asyncio
import json
import random
import re
import sys

from mcp import Client, StdioServerParameters

PROGRAM, SAVES, MODE = sys.argv[1:4]
SEATS = ["prover", "opponent"]

def value(schema, rng):
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return value(schema["anyOf"][0], rng)
    if "properties" in schema:
        return {name: value(part, rng) for name, part in schema["properties"].items()}
    if "pattern" in schema:
        return "0" * int(re.search(r"{(\d+)}", schema["pattern"])[1])
    return {"boolean": True, "number": 0.5, "integer": 0, "array": [], "string": "So it is."}[schema["type"]]

async def play():
    told = {"refused": []}
    async with Client(StdioServerParameters(command=PROGRAM, args=["mcp", "--saves", SAVES]), mode=MODE) as client:
        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            if result.is_error:
                return {"error": result.content[0].text}
            return result.structured_content

        told["revision"] = str(client.protocol_version)
        told["tools"] = sorted(tool.name for tool in (await client.list_tools()).tools)
        told["scenarios"] = len((await call("list_scenarios"))["scenarios"])
        handles = (await call("start", scenario="primes-small", seats=SEATS, seed="7"))["debates"]
        told["refused"].append(await call("result", debate=handles["prover"]))
        told["refused"].append(await call("replay", debate=handles["opponent"]))
        told["refused"].append(await call("view", debate="0" * 32))
        rng, replies = random.Random(7), 0
        last = {}
        while True:
            states = {seat: await call("view", debate=handles[seat]) for seat in SEATS}
            asked = [seat for seat in SEATS if states[seat]["state"] == "asked"]
            if not asked:
                break
            [seat] = asked
            state = states[seat]
            reply = value(state["legal"], rng)
            answer = {"debate": handles[seat], "id": state["id"], "reply": reply}
            if not replies:
                told["refused"].append(await call("reply", **{**answer, "reply": {"select": 99}}))
                told["refused"].append(await call("reply", **{**answer, "id": 99}))
            after = await call("reply", **answer)
            replies += 1
            # Sends the reply again, as after a lost answer, which has no effect. Then sends another reply, which is an error.
            assert await call("reply", **answer) == after, "a retry changed something"
            if "answer" in reply:
                other = {**answer, "reply": {"answer": not reply["answer"]}}
                told["refused"].append(await call("reply", **other))
            last = answer
        assert await call("reply", **last) == {"state": "over"}
        told["replies"] = replies
        told["states"] = [state["state"] for state in states.values()]
        told["results"] = {seat: await call("result", debate=handles[seat]) for seat in SEATS}
        told["events"] = len((await call("replay", debate=handles["prover"]))["view"]["events"])
    print(json.dumps(told))

asyncio.run(play())
