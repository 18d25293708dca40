"""The places of judged stories in the corpora, which no training may use."""

JUDGED = {  # files of judged stories, by a file of the corpora in which some of them stand
    "roc/validation.jsonl.gz": "plot_guided/AMT_ROC.CSV",
    "wp/human_stories.jsonl.gz": "plot_guided/AMT_WP.CSV",
}
