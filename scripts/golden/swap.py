"""Discriminant directions for the style swap, by scikit-learn: makes crates/corevar/tests/golden/swap.json.

    python3 scripts/golden/swap.py > crates/corevar/tests/golden/swap.json

scikit-learn shrinks the covariance to (1 - s) T + s m I with m its mean diagonal; the swap takes T + 0.1 m I, which is 1.1 times that
for s = 0.1 / 1.1.
"""

import json

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

RIDGE = 0.1
rng = np.random.default_rng(3)
labels = np.arange(30) % 2
rows = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4)) + labels[:, None] * [1.0, -0.5, 0.25, 2.0]
rows = rows.round(3)
model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=RIDGE / (1 + RIDGE)).fit(rows, labels)
print(json.dumps({
    "rows": rows.ravel().tolist(),
    "labels": labels.tolist(),
    "direction": (model.coef_[0] / (1 + RIDGE)).tolist(),
}))
