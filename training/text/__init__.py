"""English for training: words, sentences and stories as places in a text, and what is known about words.

| module | what it gives |
|---|---|
| `story`, `sentence`, `tokens` | a story parsed once: sentences, words and tags as places in its text |
| `edits` | changes of a text by characters; what lies outside them stays byte for byte |
| `rewrite` | changes of a tokenised sentence |
| `tagged_story`, `tagged_corpus` | normalised stories with tags, made once a corpus and kept on disk |
| `inflection` | lemma of a tagged word, and the form of a lemma for a tag |
| `keywords` | keywords of a corpus with their frequencies |
| `names` | which words are first names |
| `language` | the interface of a lexicon with inflection |
| `word_set` | word lists in the source |

| package | what it gives |
|---|---|
| `tagger/` | Penn Treebank tags of tokenised sentences, cased or lower-cased; its trainer, and its weights in `taggers/` |
| `knowledge/` | `lexicon` (antonyms, synonyms, keywords), `senses`, `commonsense` and `events`, from WordNet and, where fetched, ConceptNet; `resources` fetches both; `english` joins them behind `language` |
| `negation/` | adding and removing negations (UNION, Table 8) |

Normalisation, sentence splitting, tokenisation and delexicalisation are needed when a story is scored too and
stand in `metrics.core.text`.

Tags are those of the Penn Treebank throughout (`VBD`, `NNS`, …). No module reads a file or loads a model when
imported; each does so at the first call and keeps it.

Data behind the shipped weights: Universal Dependencies English Web Treebank (EWT), CC BY-SA 4.0, by Natalia
Silveira et al. (LREC 2014). WordNet 3.0 is Princeton University's, under its own free licence; ConceptNet is
CC BY-SA 4.0 (Speer, Chin and Havasi, AAAI 2017). The last two are fetched, not shipped.
"""
