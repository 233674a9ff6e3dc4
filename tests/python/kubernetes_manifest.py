"""Validates the manifest of the guide with the schemas of Kubernetes. Unknown fields are errors."""

import re
from pathlib import Path

import kubernetes_validate
import yaml

GUIDE = Path(__file__).parents[2] / "src/guide/cluster.md"
manifest = re.search(r"```text\n(apiVersion.*?)```", GUIDE.read_text(), re.S)[1]
version = kubernetes_validate.latest_version()
kubernetes_validate.validate(yaml.safe_load(manifest), version, strict=True)
wrong = manifest.replace("completionMode", "completingMode")
try:
    kubernetes_validate.validate(yaml.safe_load(wrong), version, strict=True)
except kubernetes_validate.ValidationError:
    print(f"the Job is valid in Kubernetes {version}")
else:
    raise AssertionError("an unknown field was accepted")
print("ok")
