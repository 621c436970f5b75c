// The phrases that scripts/prose.mjs refuses, each with the wording to use instead, and the places where one is right.

const NAME_THE_ACTOR = "name the component that acts, with an active verb";
const NOUN_FIRST = "start with a noun or a verb";

/** `pattern` is tried on one sentence at a time. */
export const RULES = [
  { pattern: /^(?:What|Whatever)\b(?!.*\?)(?! (?:if|about)\b)/, use: NOUN_FIRST },
  {
    pattern: /^(?:Who|Whoever|Nobody|Somebody|One that|Those that|Those who)\b(?!.*\?)/,
    use: NAME_THE_ACTOR,
  },
  {
    pattern: /^Of (?:a|an|the|all|several|many|two|what|those|these|its|his|each|every|one)\b/,
    use: NOUN_FIRST,
  },
  { pattern: /^Where (?:a|an|the|it|this|they|one|to)\b(?!.*[,?])/, use: NOUN_FIRST },
  {
    pattern:
      /\b(?:who|whoever) (?:comes?|reads?|waits?|asks?|does|starts?|looks?|writes?|wants?|tells?|holds?|says?|shows?|folds?|watch(?:es)?|edits?)\b/i,
    use: NAME_THE_ACTOR,
  },
  { pattern: /\b(?:nobody|somebody|whoever)\b/i, use: NAME_THE_ACTOR },
  { pattern: /\banew\b/i, use: "again, from the start, or resync" },
  { pattern: /\bunless told\b/i, use: "(default: …)" },
  { pattern: /\b(?:told|tells?|telling) (?:of|apart)\b/i, use: "report, notify or distinguish" },
  {
    pattern: /\b(?:is|are|was|were|be|being|been|gets?|got) told\b/i,
    use: "receives, is notified",
  },
  { pattern: /\blet(?:s|ting)? go\b/i, use: "release, drop or disconnect" },
  { pattern: /\b(?:takes?|taken|took) in\b(?! turns)/i, use: "ingest, apply or include" },
  { pattern: /\bin the way\b/i, use: "block, or say what fails" },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, use: "fix, repair" },
  { pattern: /\b(?:gives?|given|gave|giving) back\b/i, use: "return, release or restore" },
  {
    pattern: /\bthat (?:is|was|are|were) (?:said|told|heard|there)\b/i,
    use: "say what it is: printed, reported, received, present",
  },
  { pattern: /\b(?:is|are|was|were) (?:said|heard)\b/i, use: "printed, reported, received" },
  {
    pattern: /(?<!\bthere )\bis no (?!longer\b|more\b|different\b|need\b|way\b|such\b)\w+/i,
    use: "is not a …, has no …",
  },
  { pattern: /\bso many times\b/i, use: "say the number or unit" },
  {
    pattern: /\b(?:go|goes|went|going|gone) on\b(?! (?:to|a|the|its)\b)/i,
    use: "continue, keep running",
  },
  { pattern: /\bany ?more\b(?! than)/i, use: "no longer" },
  { pattern: /\bhas to know\b/i, use: "needs" },
  { pattern: /\bput (?:right|in order|beside|behind)\b/i, use: "fix, sort, place" },
  { pattern: /\bsigns? of life\b/i, use: "activity, heartbeat" },
  { pattern: /\bfalls? silent|fell silent\b/i, use: "is inactive, stops responding" },
  { pattern: /\bmade up\b/i, use: "generated, invented" },
  { pattern: /\b(?:asks?|asked) for it is\b/i, use: NAME_THE_ACTOR },
  { pattern: /\bthe person\b/i, use: "the user" },
  { pattern: /\bas it happens\b|\bin passing\b/i, use: "while …" },
  { pattern: /\bknows? nothing of\b|\bknows? of\b/i, use: "say which data it has" },
  { pattern: /\bfor good\b/i, use: "permanently" },
  { pattern: /\bleft (?:lying|standing)\b/i, use: "left, remaining" },
  { pattern: /^(?:[A-Z]\d{1,2} |SPEC |J\d+[:, ])/, use: "say what is tested", isForTitles: true },
];

/** Sentences in which a phrase is right: where, the words, and why. */
export const EXCEPTIONS = [
  {
    path: "src/engines/postgres/sql/007-first-release.sql",
    text: "What lapsed has to be weighed",
    reason: "schema files never change after a release",
  },
  {
    path: "src/engines/sqlite/sql/003-first-release.sql",
    text: "Where the clock of the database",
    reason: "schema files never change after a release",
  },
];
