"""Fits {measure} ~ condition + (1 | participant) + (1 | item) to the exported trials with statsmodels.

python3 analysis.py        prints the model and the primary contrast. It needs statsmodels 0.14 or later.
"""

import pathlib

import numpy
import pandas
import statsmodels.formula.api as formulas

TABLE = "data/{table}"
OF, AGAINST = "{of}", "{against}"

folder = pathlib.Path(__file__).parent
trials = pandas.read_csv(folder / TABLE, dtype={{"condition": str, "participant": str, "item": str}})
trials = trials[trials["is_counted"].astype(str).str.lower() == "true"]
# One group with two variance components: the effects of participants and of items are crossed.
model = formulas.mixedlm(
    "{measure} ~ C(condition, Treatment(AGAINST))",
    trials,
    groups=numpy.ones(len(trials)),
    vc_formula={{"participant": "0 + C(participant)", "item": "0 + C(item)"}},
    re_formula="0",
)
fit = model.fit(reml=True)
print(fit.summary())
name = f"C(condition, Treatment(AGAINST))[T.{{OF}}]"
low, high = fit.conf_int().loc[name]
print(f"{{OF}} - {{AGAINST}}: {{fit.params[name]:.6f}}, 95 % from {{low:.6f}} to {{high:.6f}}, {{len(trials)}} trials")
