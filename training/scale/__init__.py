"""Scores, perturbs and corrupts corpora of any size, with the code for small files; see README.md in this folder.

```python
from openmeva.training.scale.scoring import score_dataset

report = score_dataset(dataset, ["union", "plot_coherence"], out="scores", engine="plain")
```
"""
