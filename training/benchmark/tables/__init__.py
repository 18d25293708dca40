"""Tables of the results, and their renderings in Markdown, LaTeX and the terminal."""
