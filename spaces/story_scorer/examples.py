"""Example stories, written for this project: one button each.

The sound story is the one with the median plot coherence among forty short stories of the project. The damaged
stories are made from another one, `BARE`: its plain short sentences already have a low plot coherence among human stories.
"""

from openmeva.spaces.texts import Text

BARE = (
    "Nora's bike had a flat tire. She walked it to the shop on the corner. The man there patched the tube in ten minutes. "
    "Nora thanked him and paid. She rode home before it got dark."
)

# name: kind of story, texts
EXAMPLES: dict[str, tuple[str, Text]] = {
    "A sound story": (
        "roc",
        Text(
            "Music thumped through Yusuf's ceiling every night at eleven. He was too polite to complain, so he wore earplugs. One "
            "evening he met the woman from upstairs in the elevator. She apologized and explained that she was learning to dance "
            "before her wedding. Yusuf, who had once taught dancing, offered her free lessons at a better hour."
        ),
    ),
    "Repeats itself": (
        "roc",
        Text(
            "Nora's bike had a flat tire. She walked it to the shop on the corner. She walked it to the shop on the "
            "corner. Nora thanked him and paid. She rode home before it got dark."
        ),
    ),
    "Out of order": (
        "roc",
        Text(
            "Nora's bike had a flat tire. She walked it to the shop on the corner. She rode home before it got dark. Nora "
            "thanked him and paid. The man there patched the tube in ten minutes."
        ),
    ),
    "Contradicts itself": (
        "roc",
        Text(
            "Nora's bike had a flat tire. She did not walk it to the shop on the corner. The man there patched the "
            "tube in ten minutes. Nora thanked him and did not pay. She rode home before it got dark."
        ),
    ),
    "Goes astray": (
        "roc",
        Text(
            "Nora's bike had a flat tire. She walked it to the shop on the corner. The man there patched the tube in ten "
            "minutes. The whale swam under our boat all morning. The bread came out of the oven burnt."
        ),
    ),
    "With a reference": (
        "roc",
        Text(
            "He pulled over and opened the trunk. The spare was flat too. A farmer stopped and drove him to town. He "
            "was two hours late, but he got the job.",
            "Tom had a flat tire on the way to his interview.",
            "He stopped at the side of the road. He had no spare wheel. A passing farmer gave him a lift. He arrived "
            "late and was hired all the same.",
        ),
    ),
    "To a prompt": (
        "wp",
        Text(
            "The lighthouse had been dark for nineteen years when the lamp came on by itself. In the village below, "
            "Mara saw it from her window. Her father had kept that light until the night he rowed out and did not come "
            "back. She took the old key from its nail and walked along the shingle with the wind in her face. The door "
            "was not locked. Somebody had swept the stairs. At the top, beside the turning lamp, a wet coat hung over "
            'the rail, and under it a pair of boots that she knew. "You are late," she said to the empty room. Far out '
            "on the water, something answered with a bell.",
            "An abandoned lighthouse begins to shine again.",
        ),
    ),
}
