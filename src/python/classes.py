"""Writes `debate_tui/documents.py`: a class for each document that the program prints or reads, from its own schemas.

    python classes.py [PROGRAM]            writes the file anew
    python classes.py --check [PROGRAM]    says whether it is up to date (exit code 1 where it is not)
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

FILE = Path(__file__).parent / "debate_tui" / "documents.py"
# The documents with the class of each.
DOCUMENTS = {
    "messages": "Message",
    "solve": "Solution",
    "simulate": "Simulation",
    "check": "Check",
    "report": "Report",
    "match": "MatchReport",
    "equilibrium": "Equilibrium",
}
HEADER = '''"""The documents of debate-tui as types. Made by `classes.py` from `debate-tui schema`; not written by hand."""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired
'''
# Fields that may be null and are always written: the schema, which is for readers too, calls them optional.
ALWAYS = {
    "FromServerEnd": {"reward"},
    "PlayReport": {"answer", "forfeit", "ledger", "ledger_by_seat", "payoff", "payoff_exact", "review", "truth"},
    "PlayReview": {"parts"},
    "PlayedRound": {"reward"},
}
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class Module:
    """The classes of all documents; alike ones of two documents are one."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}

    def document(self, name: str, schema: dict[str, Any]) -> None:
        kinds = schema.get("$defs", {})
        # The same name for two kinds gets the document's name before it.
        names = {kind: kind for kind in kinds}
        for _ in range(2):
            for kind, body in kinds.items():
                draft = Module()
                draft.kind(names[kind], body, names)
                if any(self.classes.get(made, text) != text for made, text in draft.classes.items()):
                    names[kind] = name + kind
        for kind, body in kinds.items():
            self.kind(names[kind], body, names)
        self.kind(name, schema, names)

    def kind(self, name: str, schema: dict[str, Any], names: dict[str, str]) -> None:
        if "properties" in schema and not {"oneOf", "anyOf"} & schema.keys():
            self.classes[name] = self.object(name, schema, names)
        else:
            about = "".join(f"# {line}\n" for line in schema.get("description", "").splitlines())
            self.classes[name] = f"{about}{name}: TypeAlias = \"{self.type(schema, names, name)}\"\n"

    def object(self, name: str, schema: dict[str, Any], names: dict[str, str]) -> str:
        required = set(schema.get("required", ())) | ALWAYS.get(name, set())
        fields: list[tuple[str, str, str]] = []
        for field, body in sorted(schema["properties"].items()):
            kind = self.type(body, names, name + pascal(field))
            about = "" if body is True else body.get("description", "")
            fields.append((field, kind if field in required else f"NotRequired[{kind}]", about))
        if any(keyword.iskeyword(field) or not field.isidentifier() for field, _, _ in fields):
            # A name that is no name in Python.
            pairs = [f'    "{field}": "{kind}",' for field, kind, _ in fields]
            return "\n".join([f'{name} = TypedDict("{name}", {{', *pairs, "})"]) + "\n"
        lines = [f"class {name}(TypedDict):", *doc(schema.get("description", ""))]
        for field, kind, about in fields:
            lines += [f"    {field}: {kind}", *doc(about)]
        return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"]) + "\n"

    def type(self, schema: Any, names: dict[str, str], place: str) -> str:
        if schema is True or not schema:
            return "Any"
        if "$ref" in schema:
            kind = str(schema["$ref"]).split("/")[-1]
            return names.get(kind, kind) if kind != "#" else place
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return self.union(schema, choice, names, place)
        if "properties" in schema:
            name = schema.get("title", place)
            name = name if name.isidentifier() else place
            self.classes[name] = self.object(name, schema, names)
            return name
        kinds: Any = schema.get("type")
        if isinstance(kinds, list):
            each = [self.type({**schema, "type": kind}, names, place) for kind in cast("list[str]", kinds)]
            return " | ".join(dict.fromkeys(each))
        if kinds == "array":
            if "prefixItems" in schema:
                each = {self.type(item, names, place) for item in schema["prefixItems"]}
                return f"list[{' | '.join(sorted(each))}]"
            return f"list[{self.type(schema.get('items', True), names, place + 'Item')}]"
        if kinds == "object":
            return f"dict[str, {self.type(schema.get('additionalProperties', True), names, place + 'Value')}]"
        return PLAIN.get(str(kinds), "Any")

    def union(self, schema: dict[str, Any], choice: str, names: dict[str, str], place: str) -> str:
        """One of several; fields beside the choice are in each."""
        shared = schema.get("properties", {})
        each: list[str] = []
        for number, variant in enumerate(schema[choice]):
            if shared:
                properties: dict[str, Any] = {**shared, **variant.get("properties", {})}
                required = [*schema.get("required", ()), *variant.get("required", ())]
                tags = (pascal(str(it["const"])) for it in properties.values() if it is not True and "const" in it)
                tag = next(tags, str(number))
                variant = {**variant, "type": "object", "title": place + tag, "properties": properties, "required": required}
            if "$ref" in variant and "properties" in variant:
                variant = {key: value for key, value in variant.items() if key != "$ref"}
            each.append(self.type(variant, names, f"{place}{number}"))
        return " | ".join(dict.fromkeys(each))


def doc(about: str) -> list[str]:
    """A description as the lines of a doc string."""
    text = about.replace("\\", "\\\\").replace("\n", "\n    ")
    return [f'    """{text}"""'] if text else []


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", name))


def module(program: str) -> str:
    made = Module()
    for document, name in DOCUMENTS.items():
        run = subprocess.run([program, "schema", document], capture_output=True, check=True, encoding="utf-8")
        made.document(name, json.loads(run.stdout))
    return "\n\n".join([HEADER, *made.classes.values()])


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    program = next((it for it in arguments if it != "--check"), "debate-tui")
    text = module(program)
    if not check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{FILE.name} is not what the schemas say; `python classes.py {program}` writes it anew", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
