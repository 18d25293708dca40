"""Language tools of training: what is known about English words, as opposed to about stories.

| module | what it gives |
|---|---|
| `tagging` | Penn Treebank tags of tokenised sentences, cased or lower-cased |
| `inflection` | lemma of a tagged word, and the form of a lemma for a tag |
| `lexicon` | antonyms, synonyms and the test for keywords, from WordNet and, where fetched, ConceptNet |
| `senses` | how often each sense of a word is used and which words share it, from one file of WordNet |
| `commonsense` | which words ConceptNet links, where it was fetched |
| `resources` | fetches both (`make resources`) and says what is missing |
| `speed` | stories tagged a second, for the benchmark of speed |
| `train_tagger` | trains and measures the tagger's weights, which are shipped in `taggers/` |

Normalisation, sentence splitting, tokenisation and delexicalisation are needed when a story is scored too and
stand in `metrics.core.text`.

Tags are those of the Penn Treebank throughout (`VBD`, `NNS`, …). No module reads a file or loads a model when
imported; each does so at the first call and keeps it.

Data behind the shipped weights: Universal Dependencies English Web Treebank (EWT), CC BY-SA 4.0, by Natalia
Silveira et al. (LREC 2014). WordNet 3.0 is Princeton University's, under its own free licence; ConceptNet is
CC BY-SA 4.0 (Speer, Chin and Havasi, AAAI 2017). The last two are fetched, not shipped.
"""
