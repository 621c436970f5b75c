import type { Language } from "./languages.ts";
import { type Source, squeezed } from "./source.ts";

/** How much an assertion can fail: never (`trivial`), rarely (`weak`) or on a wrong value (`strong`). */
export type Strength = "trivial" | "weak" | "strong";

/** One assertion of a test. */
export interface Assertion {
  readonly offset: number;
  /** On one line, without comments. */
  readonly text: string;
  readonly strength: Strength;
}

/** Starts of assertions, in code without comments and strings. */
const CALLS: Readonly<Record<Language, RegExp>> = {
  js: /(?<![\w$.])(?:expect(?:\.soft|\.poll)?|assert(?:\.\w+){0,2}|t\.(?:assert\.\w+|is|not|like|truthy|falsy|true|false|deepEqual|equal|same|ok|throws|throwsAsync|match|regex|strictEqual))\s*\(/g,
  python:
    /(?<![\w.])assert(?=[\s(])|(?<!\w)(?:self\.|cls\.)?assert_?\w+\s*\(|(?<!\w)pytest\.(?:raises|warns|fail)\s*\(|\.assert_\w+\s*\(/g,
  go: /(?<!\w)(?:(?:t|b|tb|f)\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|(?:assert|require|is|qt)\.\w+)\s*\(/g,
  rust: /(?<!\w)(?:(?:debug_|prop_)?assert(?:_\w+)?|panic|unreachable)!\s*[({[]/g,
  jvm: /(?<!\w)(?:(?:Assert(?:ions)?\.)?(?:assert|XCTAssert)\w*|verify|expectThat|shouldThrow)\s*\(|(?<!\w)(?:should\w*|shouldBe)(?=[\s(])/g,
  csharp: /(?<!\w)(?:Assert\.\w+(?:<\w+>)?|\w+\.Should)\s*\(/g,
  ruby: /(?<!\w)(?:expect|assert\w*|refute\w*)(?=[\s({])|\.(?:must|wont)_\w+/g,
  php: /(?:->|::)assert\w+\s*\(|(?<!\w)expect\s*\(/g,
  sh: /^[ \t]*(?:if |! )?(?:test|\[\[?|diff|cmp|grep|assert\w*)(?= )|^[^\n|]{1,300}\|\| *(?:fail\w*|exit 1|return 1|die)/gm,
};

/** A value that does not depend on the tested code. */
const LITERAL = String.raw`(?:true|false|True|False|null|None|nil|undefined|-?\d+(?:\.\d+)?|"[^"\n]{0,80}"|'[^'\n]{0,80}')`;
const TRIVIAL: readonly RegExp[] = [
  new RegExp(
    String.raw`^expect(?:\.soft)?\( ?(${LITERAL}) ?\)\.(?:toBe|toEqual|toStrictEqual|to\.(?:equal|be|eql)|equal)\( ?\1 ?\)`,
  ),
  /^expect(?:\.soft)?\( ?(?:true|1|"[^"\n]{1,80}"|'[^'\n]{1,80}'|\{ ?\}|\[ ?\]) ?\)\.(?:toBeTruthy|toBeDefined|to\.be\.(?:true|ok)|not\.toBe(?:Null|Undefined|Falsy))/,
  /^expect\( ?false ?\)\.(?:toBeFalsy\(|toBe\( ?false)/,
  new RegExp(
    String.raw`^(?:assert|t|Assert(?:ions)?|self|cls|(?:self|this|\$this)->?|require)?(?:\.|->|::)?(?:assert)?_?(?:strict|deep|deepStrict|not)?_?(?:equals?|eq|is|same|equal_to|AreEqual)?!? ?\( ?(?:t, ?)?(${LITERAL}), ?\1 ?[,)]`,
    "i",
  ),
  /^(?:assert(?:\.ok|\.isTrue|\.True)?|t\.(?:true|truthy|ok|pass)|(?:self\.|cls\.|\$this->|->|::)?assert(?:_?true|Truthy)|Assert\.(?:True|IsTrue)|(?:assert|require)\.True|Assertions\.assertTrue|(?:debug_)?assert!) ?\( ?(?:t, ?)?(?:true|True|1|1 ?== ?1) ?[,)]/i,
  /^assert ?\(?(?:True|1|not False|1 == 1|"[^"\n]{1,80}"|'[^'\n]{1,80}')\)?(?: ?,| ?$|;)/,
  new RegExp(String.raw`^assert ?\(?(${LITERAL}) ?={2,3} ?\1\)?(?: ?,| ?$|;|\))`),
  /^(?:expect\( ?true ?\)\.to be(?:_truthy)?|expect\(true\)\.to (?:eq\(? ?true|be true)|assert\(? ?true ?\)?$)/,
  /^(?:if |! )?(?:test|\[\[?) (?:1|"?ok"?|true) (?:=|==|-eq) (?:1|"?ok"?|true)(?: |$)|\|\| *true *$/,
];

/** Assertions that most wrong results pass too. */
const WEAK: readonly RegExp[] = [
  /\)\.(?:not\.)?(?:toBeTruthy|toBeDefined|toBeInstanceOf|toHaveBeenCalled|toBeCalled|toBeNull|toBeUndefined|toThrow|toBeFalsy)\( ?\)/,
  /expect\.(?:anything|any)\( ?\w* ?\) ?\)$/,
  /\.to\.(?:exist|be\.ok|not\.be\.(?:null|undefined)|be\.an?\()/,
  /^assert(?:\.ok)? ?\((?:(?!===?|!==?|[<>]|\.(?:includes|test|match|startsWith|endsWith|every|some|has|equals?)\().){0,400}$/,
  /^(?:self\.|cls\.)?assert(?:IsNotNone|IsInstance|IsNone)\b/,
  /^(?:self\.|cls\.)?assertTrue ?\((?:(?!==|!=|[<>]| in |\.(?:startswith|endswith)\().){0,400}$/,
  /^assert (?:(?!==|!=|[<>]| in |\.(?:startswith|endswith|match|search|is\w+)\(| not ).){0,400}$/,
  /^assert .{1,300} is not None\b|^assert isinstance\(/,
  /^(?:assert|require)\.(?:NotNil|NotEmpty|NotPanics)\b/,
  /^assert!\((?:(?!==|!=|[<>]|\.(?:contains|starts_with|ends_with|matches)\(|matches!).){0,400}$/,
  /^(?:Assert(?:ions)?\.)?(?:assertNotNull|NotNull|IsNotNull)\b/,
];

const MAX_TEXT = 600;

/** The assertions between two offsets, in order. */
export function assertionsIn(
  source: Source,
  language: Language,
  from: number,
  to: number,
): readonly Assertion[] {
  const found: Assertion[] = [];
  const pattern = new RegExp(CALLS[language].source, CALLS[language].flags);
  pattern.lastIndex = from;
  for (let call = pattern.exec(source.code); call; call = pattern.exec(source.code)) {
    if (call.index >= to) break;
    const end = Math.min(statementEnd(source, call.index, to), to);
    const text = squeezed(source.plain.slice(call.index, Math.min(end, call.index + MAX_TEXT)));
    found.push({ offset: call.index, text, strength: strengthOf(text) });
    // Arguments of an assertion are no assertions of their own.
    pattern.lastIndex = Math.max(end, call.index + call[0].length);
  }
  return found;
}

/** Follows a call and the calls chained to it; without brackets, the line. */
function statementEnd({ code, closing }: Source, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const sign = code[at] ?? "";
    if (sign === "\n" || sign === ";") {
      // A chain may continue in the next line.
      const next = /^\s*(?=\.\w)/.exec(code.slice(at, at + 200));
      if (sign === "\n" && next) {
        at += next[0].length;
        continue;
      }
      return at;
    }
    if (sign === "(" || sign === "[" || sign === "{") {
      const end = closing[at] ?? 0;
      if (end === 0) return at + 1;
      at = end + 1;
    } else at++;
  }
  return to;
}

/** Classifies an assertion by its text. */
export function strengthOf(text: string): Strength {
  const bare = text.replace(/^\(|;$/g, "");
  if (TRIVIAL.some((pattern) => pattern.test(bare))) return "trivial";
  return WEAK.some((pattern) => pattern.test(bare)) ? "weak" : "strong";
}

const LITERALS = /"[^"\n]{0,120}"|'[^'\n]{0,120}'|`[^`\n]{0,120}`|(?<![\w.])\d[\d_.]*/g;

/** The literal values of a text, without their quotation marks. */
export function literalsOf(text: string): readonly string[] {
  return (text.match(LITERALS) ?? []).map((literal) => literal.replace(/^["'`]|["'`]$/g, ""));
}

const VALUE =
  /"[^"\n]{0,200}"|'[^'\n]{0,200}'|`[^`\n]{0,200}`|(?<![\w.)\]])-?\d[\d_.]*|\b(?:true|false|True|False|null|None|nil)\b/g;

/** An assertion without its last value, and that value. */
export function expectation(text: string): readonly [subject: string, value: string] {
  const last = [...text.matchAll(VALUE)].at(-1);
  if (!last) return [text, ""];
  return [`${text.slice(0, last.index)}…${text.slice(last.index + last[0].length)}`, last[0]];
}
