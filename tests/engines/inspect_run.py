"""Runs the task of the guide with a mock model, and reads the log. Arguments: the folder of logs, the seat, `serve` or
`mcp`, and the style of the model: `plain`, `fenced`, `wordy` (no JSON) or `learns` (JSON after an error message)."""
import json
import random
import re
import sys

from inspect_ai import eval as evaluate
from inspect_ai.analysis import messages_df, samples_df
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from debate_tui.inspect_task import debates

folder, seat, way, style = sys.argv[1:5]

def written(reply, messages):
    if style == "fenced":
        return f"Let {{x}} be it.\n\n```json\n{json.dumps(reply, indent=1)}\n```\nThat is all {{for now}}."
    learns = style == "learns" and "This reply is illegal" in messages[-1].text
    return json.dumps(reply) if style == "plain" or learns else "I would say that it is true."

def value(schema):
    if schema.get("enum"):
        return random.choice(schema["enum"])
    if schema.get("anyOf"):
        return value(schema["anyOf"][0])
    if schema["type"] == "object":
        return {name: value(part) for name, part in schema["properties"].items()}
    if schema.get("pattern"):
        return "0" * int(re.search(r"{(\d+)}", schema["pattern"])[1])
    return {"boolean": True, "number": 0.5, "integer": 0, "array": [], "string": "So it is."}[schema["type"]]

def answer(messages, tools, choice, config):
    if way == "mcp":
        output = call(messages)
    else:
        schema = config.response_schema.json_schema.model_dump(exclude_none=True)
        output = ModelOutput.from_content("mockllm/model", written(value(schema), messages))
    words = len(messages[-1].text.split())  # without this count, Inspect downloads a tokenizer
    output.usage = ModelUsage(input_tokens=words, output_tokens=5, total_tokens=words + 5)
    return output

def call(messages):
    """Returns the tool call that follows from the result of the last one."""
    tool = lambda name, **arguments: ModelOutput.for_tool_call("mockllm/model", name, arguments)
    last = messages[-1]
    if last.role == "user":
        return tool("start", **json.loads(re.search(r"{.*?}", last.text)[0]))
    if last.function == "result":
        return ModelOutput.from_content("mockllm/model", "It is over.")
    said = json.loads(last.text)
    started = next(json.loads(one.text) for one in messages if getattr(one, "function", "") == "start")
    debate = started["debates"][seat]
    if last.function == "start":
        return tool("view", debate=debate)
    if said["state"] == "over":
        return tool("result", debate=debate)
    return tool("reply", debate=debate, id=said["id"], reply=value(said["legal"]))

model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
task = debates(seat=seat, samples=3, tools=way == "mcp")
[done] = evaluate(task, model=None, model_roles={seat: model}, log_dir=folder, log_format="json", display="none")
log = read_eval_log(done.location)
if log.status != "success":
    sys.exit(str(log.error))
samples, messages = samples_df(folder), messages_df(folder)
print(json.dumps({
    "status": log.status, "error": str(log.error), "samples": len(log.samples),
    "explanations": [sample.scores["outcome"].explanation for sample in log.samples],
    "scores": [sample.scores["outcome"].value for sample in log.samples],
    "roles": list(log.eval.model_roles), "models": sum(event.event == "model" for sample in log.samples for event in sample.events),
    "usage": log.stats.role_usage[seat].total_tokens if getattr(log.stats, "role_usage", None) else None,
    "samples_df": len(samples), "messages_df": len(messages), "location": done.location}))
