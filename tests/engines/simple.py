import json, random, re, sys

def value(schema, rng):
    """Some value that a strict schema allows."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return value(schema["anyOf"][0], rng)
    if "properties" in schema:
        return {name: value(part, rng) for name, part in schema["properties"].items()}
    if "pattern" in schema:
        length = int(re.search(r"{(\d+)}", schema["pattern"])[1])
        return "".join(rng.choices("01", k=length))
    return {"boolean": rng.random() < 0.5, "number": 0.5, "integer": 0, "array": [], "string": "?"}[schema["type"]]

def reply(act, rng):
    """Bits as they are prepared, claims as they must come out, and else whatever is legal."""
    request = act["request"]
    if request.get("result") is not None:
        return {"bits": str(int(request["result"])) * request["length"]}
    if request.get("prepared"):
        return {"bits": request["prepared"]}
    return value(act["legal"], rng)

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "name": "simple", "version": "1.0"}
    elif message["type"] == "act":
        rng = random.Random(message["id"])
        answer = {"type": "reply", "debate": message["debate"], "id": message["id"], "reply": reply(message, rng)}
    elif message["type"] == "ping":
        answer = {"type": "pong"}
    else:
        continue
    print(json.dumps(answer), flush=True)
