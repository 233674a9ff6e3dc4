"""Runs the notebook of the guide in a kernel; its cells contain assertions. `NOTEBOOK_OUT` names a file for the result."""

import os
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FILE = Path(__file__).parents[2] / "src/guide/training.ipynb"

notebook = nbformat.read(FILE, as_version=4)
nbformat.validate(notebook)
assert not any(cell.get("outputs") for cell in notebook.cells), "the file contains outputs; remove them"
NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
kinds = {kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())}
assert {"text/html", "image/png"} <= kinds, kinds
if "NOTEBOOK_OUT" in os.environ:
    nbformat.write(notebook, os.environ["NOTEBOOK_OUT"])
print(f"nbclient {version('nbclient')}, ipykernel {version('ipykernel')}")
print("ok")
