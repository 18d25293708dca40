"""Everyday nouns and adjectives of stories, and replacements with the same meaning; written for this project."""

NOUNS: dict[str, str] = {
    "mom": "mother", "dad": "father", "mother": "mom", "father": "dad", "kid": "child", "friend": "pal",
    "store": "shop", "movie": "film", "present": "gift", "gift": "present", "bike": "bicycle",
    "baby": "infant", "plane": "airplane",
    "trash": "garbage", "grandma": "grandmother", "grandpa": "grandfather", "test": "exam",
    "trip": "journey", "car": "automobile", "attorney": "lawyer", "lawyer": "attorney",
    "guy": "man", "fridge": "refrigerator", "ad": "advertisement", "cop": "police officer", "bug": "insect", "bunny": "rabbit",
    "puppy": "young dog", "kitten": "young cat", "supper": "dinner", "taxi": "cab", "couch": "sofa", "street": "road", "woman": "lady", "photo": "picture",
    "road": "street", "party": "celebration", "error": "mistake",
    "mistake": "error", "noise": "sound",
    "bathroom": "restroom", "crowd": "throng",
}  # fmt: skip
PREDICATES: dict[str, str] = {
    "happy": "glad", "sad": "unhappy", "scared": "frightened", "tired": "weary",
    "nervous": "anxious", "angry": "furious", "sick": "ill", "surprised": "astonished", "afraid": "scared",
    "upset": "distressed", "ready": "prepared", "difficult": "hard", "easy": "simple",
    "worried": "concerned", "glad": "happy", "shocked": "stunned", "mad": "angry",
    "disappointed": "let down", "delighted": "overjoyed",
    "amazed": "astonished", "thrilled": "delighted",
}  # fmt: skip
ADJECTIVES: dict[str, str] = {
    "big": "large", "large": "big", "beautiful": "lovely", "great": "wonderful",
    "terrible": "awful", "delicious": "tasty", "smart": "clever", "whole": "entire", "expensive": "costly",
    "huge": "enormous", "strange": "odd", "funny": "amusing", "rich": "wealthy", "small": "little",
    "wonderful": "marvelous", "awful": "terrible", "loud": "noisy",
    "favorite": "best-loved", "entire": "whole", "weird": "strange", "tiny": "very small", "lovely": "beautiful",
    "important": "significant", "cheap": "inexpensive", "quiet": "silent", "famous": "well-known",
}  # fmt: skip
# Nouns that form a set phrase with these adjectives: "a big deal".
OF_SET_PHRASES: dict[str, tuple[str, ...]] = {
    "big": ("deal", "brother", "brothers", "sister", "sisters", "game", "toe", "break"),
    "great": ("deal", "aunt", "uncle", "grandmother", "grandfather", "grandson", "granddaughter"),
    "small": ("talk", "change"),
    "funny": ("bone",),
    "whole": ("grain", "milk", "wheat"),
}
