"""English text processing for training: spans of words, sentences and stories in a text, and lexical knowledge.

| module | content |
|---|---|
| `story`, `sentence`, `tokens` | a story parsed once: sentences, words and tags with their spans in its text |
| `edits` | character edits of a text; the rest stays unchanged byte for byte |
| `rewrite` | edits of a tokenised sentence |
| `tagged_story`, `tagged_corpus` | normalised stories with tags, computed once per corpus and cached on disk |
| `inflection` | lemma of a tagged word, and the form of a lemma for a tag |
| `keywords` | keywords of a corpus with their frequencies |
| `names` | recognition of first names |
| `phrases` | words and short phrases of a text, by sentence |
| `language` | the interface of a lexicon with inflection |
| `word_set` | word lists in the source |

| package | content |
|---|---|
| `tagger/` | Penn Treebank tags of tokenised sentences, cased or lower-cased; its trainer, and its weights in `taggers/` |
| `knowledge/` | `lexicon` (antonyms, synonyms, keywords), `senses`, `commonsense` and `events`, from WordNet and, if fetched, ConceptNet; `resources` fetches both; `english` implements `language` with them |
| `negation/` | adding and removing negations (UNION, Table 8) |

Normalisation, sentence splitting, tokenisation and delexicalisation are also needed for scoring and are in
`metrics.core.text`.

Tags are those of the Penn Treebank throughout (`VBD`, `NNS`, …). No module reads a file or loads a model on
import; each does so at the first call and caches it.

Data behind the shipped weights: Universal Dependencies English Web Treebank (EWT), CC BY-SA 4.0, by Natalia
Silveira et al. (LREC 2014). WordNet 3.0 is Princeton University's, under its own free licence; ConceptNet is
CC BY-SA 4.0 (Speer, Chin and Havasi, AAAI 2017). The last two are fetched, not shipped.
"""
