"""Everyday nouns and adjectives of stories, and replacements with the same meaning; written for this project."""

NOUNS: dict[str, str] = {
    "mom": "mother", "dad": "father", "mother": "mom", "father": "dad", "kid": "child", "friend": "pal",
    "store": "shop", "movie": "film", "present": "gift", "gift": "present", "boss": "manager", "picture": "photo",
    "teacher": "instructor", "baby": "infant", "plane": "airplane",
    "trash": "garbage", "grandma": "grandmother", "grandpa": "grandfather", "test": "exam",
    "trip": "journey", "house": "home", "car": "automobile", "attorney": "lawyer", "lawyer": "attorney",
    "guy": "man", "phone": "telephone", "couch": "sofa", "street": "road", "woman": "lady", "photo": "picture",
    "road": "street", "party": "celebration", "error": "mistake",
    "mistake": "error", "money": "cash", "fight": "quarrel", "noise": "sound",
    "bathroom": "restroom", "crowd": "throng",
}  # fmt: skip
PREDICATES: dict[str, str] = {
    "happy": "glad", "sad": "unhappy", "scared": "frightened", "tired": "weary", "excited": "thrilled",
    "nervous": "anxious", "angry": "furious", "sick": "ill", "surprised": "astonished", "afraid": "scared",
    "upset": "distressed", "ready": "prepared", "difficult": "hard", "easy": "simple",
    "worried": "anxious", "glad": "happy", "shocked": "stunned", "mad": "angry",
    "disappointed": "let down", "embarrassed": "ashamed", "delighted": "overjoyed", "relieved": "reassured",
    "amazed": "astonished", "thrilled": "delighted", "proud": "very proud",
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
