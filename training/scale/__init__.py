"""Corpora of any size, scored, perturbed and damaged by the code that works on ten stories; see README.md beside this file.

```python
from openmeva.training.scale.scoring import score_dataset

report = score_dataset(dataset, ["union", "plot_coherence"], out="scores", engine="plain")
```
"""
