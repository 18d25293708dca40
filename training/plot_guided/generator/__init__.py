"""The plot-to-story generator: a model that writes a story from its plot (section 3.2).

| module | what it does |
|---|---|
| `model` | builds, saves and loads the model: initialised from the shared encoder, or from the Hub |
| `data` | plots and stories as token ids, in batches |
| `text` | token ids back to words |
| `trainer` | trains it: `python -m training.plot_guided.generator --config roc --data DIR` |
| `stage` | trains it if it is missing |
| `sampling` | seeded top-k sampling, in batches |
| `card` | the card: perplexity and samples |
"""
