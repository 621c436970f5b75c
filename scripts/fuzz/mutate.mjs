// Mutations of text inputs. Bytes are handled as Latin-1 strings, so that invalid UTF-8 can occur.

/** Characters and texts that parsers treat in a special way. */
const SPECIAL = [
  ..."\0\t\n\r\u001b \"'\\{}[]()<>&;|$#=,:-/*`0x.~^%!?@+_",
  "\r\n",
  "\u007f",
  "\u0080",
  "\u009b",
  "\u00ff",
  "\u00c3\u00a9",
  "\u00ef\u00bb\u00bf",
  "\u00e2\u0080\u00a8",
  "\u00e2\u0080\u00ae",
  "\u00ed\u00a0\u0080",
  "\u00f0\u009f\u0091\u00a8\u00e2\u0080\u008d",
  "\\u0000",
  "\\ud800",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "true",
  "[]",
  "{}",
  '"""',
  "'''",
  "/*",
  "*/",
  "<!--",
  "-->",
];
const NUMBERS = [
  "0",
  "-1",
  "1",
  "2",
  "255",
  "65536",
  "2147483648",
  "9007199254740993",
  "1e308",
  "1e400",
  "-0",
  "0.5",
  "00",
  "99999999999999999999",
];
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  { __proto__: null },
];

/** Random numbers from a seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  const below = (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % Math.max(1, limit);
  };
  return { below, pick: (list) => list[below(list.length)] };
}

/** A function that changes an input at one to six places. */
export function mutatorOf({ below, pick }, { dictionary, others, maxInput }) {
  const token = () => (below(2) === 0 ? pick(SPECIAL) : pick(dictionary()));
  const span = (text, most = 32) => {
    const at = below(text.length + 1);
    return [at, Math.min(text.length, at + 1 + below(below(4) === 0 ? text.length : most))];
  };
  const wordAt = (text) => {
    const word = /[\w-]+|\s+|[^\w\s]/y;
    word.lastIndex = below(text.length);
    const found = word.exec(text);
    return found ? [found.index, found.index + found[0].length] : [0, 0];
  };
  const replace = (text, [from, to], by) => text.slice(0, from) + by + text.slice(to);
  const inLines = (change) => (text) => {
    const lines = text.split(/(?<=\n)/);
    change(lines);
    return lines.join("");
  };
  const CHANGES = [
    (text) => replace(text, span(text), ""),
    (text) => {
      const [from, to] = span(text);
      return replace(
        text,
        [to, to],
        text.slice(from, to).repeat(1 + below(below(8) === 0 ? 40 : 3)),
      );
    },
    (text) => replace(text, span(text, 1).fill(below(text.length + 1)), token()),
    (text) => replace(text, wordAt(text), token()),
    (text) => replace(text, wordAt(text), token()),
    (text) => replace(text, span(text, 2), String.fromCharCode(below(256))),
    (text) => text.replace(/\d+/g, (digits) => (below(4) === 0 ? pick(NUMBERS) : digits)),
    inLines((lines) => lines.splice(below(lines.length), 1)),
    inLines((lines) => lines.splice(below(lines.length + 1), 0, pick(lines))),
    inLines((lines) =>
      lines.splice(below(lines.length), 0, ...lines.splice(below(lines.length), 1)),
    ),
    inLines((lines) =>
      lines.splice(below(lines.length + 1), 0, pick(pick(others()).split(/(?<=\n)/))),
    ),
    (text) => {
      const other = pick(others());
      return text.slice(0, below(text.length + 1)) + other.slice(below(other.length + 1));
    },
    (text) => {
      const other = pick(others());
      return replace(text, span(text), other.slice(...span(other)));
    },
    inLines((lines) => {
      // Most lines of a JSON format are objects.
      for (let tries = 0; tries < 3; tries++) {
        const index = below(lines.length);
        const changed = mutatedJson(lines[index]);
        if (changed === undefined) continue;
        lines[index] = changed;
        return;
      }
    }),
  ];
  const JSON_CHANGE = CHANGES.at(-1);

  /** Changes one value of a JSON text. */
  function mutatedJson(line) {
    let value;
    try {
      value = JSON.parse(Buffer.from(line, "latin1").toString("utf8"));
    } catch {
      return undefined;
    }
    const slots = [];
    const walk = (parent) => {
      for (const key of Object.keys(parent)) {
        slots.push([parent, key]);
        if (typeof parent[key] === "object" && parent[key] !== null) walk(parent[key]);
      }
    };
    if (typeof value !== "object" || value === null) return undefined;
    walk(value);
    if (slots.length === 0) return undefined;
    const [parent, key] = pick(slots);
    const [from, name] = pick(slots);
    const utf8 = (text) => Buffer.from(text, "latin1").toString("utf8");
    const put = (given, under = key) =>
      Object.defineProperty(parent, under, {
        value: given,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    switch (below(9)) {
      case 0:
        if (Array.isArray(parent)) parent.splice(Number(key), 1);
        else delete parent[key];
        break;
      case 1:
        put(structuredClone(pick(VALUES)));
        break;
      case 2:
        put(structuredClone(from[name]));
        break;
      case 3:
        put(utf8(token()));
        break;
      case 4:
        if (typeof parent[key] === "string")
          put(utf8(changed(Buffer.from(parent[key]).toString("latin1"), 1)));
        break;
      case 5:
        if (Array.isArray(parent)) parent.push(structuredClone(parent[key]));
        else put(structuredClone(parent[key]), utf8(token()));
        break;
      case 6:
        put(Number(pick(NUMBERS)));
        break;
      case 7:
        put(JSON.stringify(parent[key]));
        break;
      default:
        put([parent[key]]);
    }
    return `${Buffer.from(JSON.stringify(value)).toString("latin1")}${line.endsWith("\n") ? "\n" : ""}`;
  }

  function changed(text, times) {
    let now = text;
    for (let count = 0; count < times; count++)
      now = (/^[[{]/m.test(now) && below(2) === 0 ? JSON_CHANGE : pick(CHANGES))(now);
    return now.slice(0, maxInput);
  }

  return (bytes) =>
    Buffer.from(changed(bytes.toString("latin1"), 1 + below(below(3) === 0 ? 6 : 2)), "latin1");
}
