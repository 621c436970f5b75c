// Finds the small changes of a TypeScript source that tests have to notice, and builds them into it behind a switch.
import { parseAst } from "vitest/node";

const COMPARISONS = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
};
const ARITHMETIC = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" };
const ASSIGNMENTS = { "+=": "-=", "-=": "+=", "*=": "/=", "||=": "&&=", "??=": "=" };
const SWAPPED = {
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  find: "findLast",
  findLast: "find",
  findIndex: "findLastIndex",
  findLastIndex: "findIndex",
  indexOf: "lastIndexOf",
  lastIndexOf: "indexOf",
  shift: "pop",
  pop: "shift",
};
const REMOVED = new Set([
  "filter",
  "flat",
  "reverse",
  "slice",
  "sort",
  "toLowerCase",
  "toReversed",
  "toSorted",
  "toUpperCase",
  "trim",
  "trimEnd",
  "trimStart",
]);

/**
 * The mutants of a source: `{ kind, start, end, text, line }`, where `text` replaces the expression, statement or block
 * from `start` to `end`.
 *
 * Left out, because they say nothing about the tests:
 * - types, imports and property names;
 * - message texts: strings with white space, templates of `modelText`, and all that is thrown;
 * - defaults that only the type checker asks for: `a[i] ?? ""`, `a[i]?.b`, `(a ?? 0) > 0`.
 */
export function mutantsOf(source) {
  const program = parseAst(source, { lang: "ts", preserveParens: true });
  const found = [];
  const textOf = ({ start, end }) => source.slice(start, end);
  const add = (kind, node, text) => {
    // Half a chain cannot stand alone: its `?.` skips the rest of it.
    const { start, end } = node;
    const whole = chains.get(node) ?? node;
    const replaced = source.slice(whole.start, start) + text + source.slice(end, whole.end);
    if (replaced !== textOf(whole))
      found.push({ kind, at: node.start, start: whole.start, end: whole.end, text: replaced });
  };
  /** Parts of an optional chain, each with the whole of it. */
  const chains = new Map();
  const markChain = (chain) => {
    let node = chain.expression;
    while (node) {
      chains.set(node, chain);
      node = node.type === "CallExpression" ? node.callee : (node.object ?? node.expression);
    }
  };

  const visitors = {
    BinaryExpression(node) {
      const { operator, left, right } = node;
      const others = COMPARISONS[operator] ?? [ARITHMETIC[operator]].filter(Boolean);
      if (operator === ">" && right.value >= 0) compared.add(withoutParentheses(left));
      if (operator === "+" && [left, right].some(isText)) return;
      for (const other of others)
        add("operator", node, `${textOf(left)} ${other} ${textOf(right)}`);
    },
    LogicalExpression(node) {
      const { operator, left, right } = node;
      if (operator !== "??") {
        const [one, two] = [textOf(left), textOf(right)];
        add("logic", node, `(${one}) ${operator === "&&" ? "||" : "&&"} (${two})`);
      } else if (!(isIndexed(left) && isBlank(right)) && !(compared.has(node) && right.value === 0))
        add("default", node, `(${textOf(left)})!`);
    },
    AssignmentExpression(node) {
      const { operator, left, right } = node;
      const other = ASSIGNMENTS[operator];
      if (other) add("operator", node, `${textOf(left)} ${other} ${textOf(right)}`);
    },
    UpdateExpression(node) {
      const { operator, prefix, argument } = node;
      const [other, target] = [operator === "++" ? "--" : "++", textOf(argument)];
      add("operator", node, prefix ? `${other}${target}` : `${target}${other}`);
    },
    UnaryExpression(node) {
      if (node.operator === "!") add("negation", node, `(${textOf(node.argument)})`);
      if (node.operator === "-" && node.argument.type !== "Literal")
        add("operator", node, `+${textOf(node.argument)}`);
    },
    ConditionalExpression({ test }) {
      forceBoth(test);
    },
    IfStatement({ test }) {
      forceBoth(test);
    },
    WhileStatement({ test }) {
      add("condition", test, "false");
    },
    ForStatement({ test }) {
      if (test) add("condition", test, "false");
    },
    Literal(node) {
      const { value } = node;
      if (typeof value === "boolean") add("boolean", node, String(!value));
      if (typeof value === "string" && value !== "" && !/\s/.test(value)) add("string", node, '""');
    },
    ArrayExpression(node) {
      if (node.elements.length > 0) add("array", node, "[]");
    },
    BlockStatement(node) {
      if (node.body.length > 0) add("block", node, "{}");
    },
    ExpressionStatement(node) {
      if (!node.directive) add("statement", node, "{}");
    },
    ContinueStatement(node) {
      add("statement", node, "{}");
    },
    CallExpression(node) {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.computed || callee.optional) return;
      const { name } = callee.property;
      const rest = source.slice(callee.property.end, node.end);
      const other = Object.hasOwn(SWAPPED, name) ? SWAPPED[name] : undefined;
      if (other)
        add("method", node, `${source.slice(node.start, callee.property.start)}${other}${rest}`);
      else if (REMOVED.has(name) && !statements.has(node))
        add("method", node, textOf(callee.object));
    },
    MemberExpression(node) {
      if (!node.optional || isIndexed(node.object)) return;
      const access = source.slice(node.object.end, node.end).replace(/^\s*\?\.(?=\[)?/, "");
      add("chain", node, `${textOf(node.object)}!${node.computed ? "" : "."}${access}`);
    },
  };
  const forceBoth = (test) => {
    for (const value of ["true", "false"]) add("condition", test, value);
  };
  /** Calls of which the result is not used, such as sorting in place: they are removed as statements. */
  const statements = new Set();
  /** Compared with `>`, which undefined is not either. */
  const compared = new Set();

  const visit = (node) => {
    if (isLeftOut(node)) return;
    if (node.type === "ChainExpression") markChain(node);
    if (node.type === "ExpressionStatement") statements.add(node.expression);
    visitors[node.type]?.(node);
    for (const [name, child] of Object.entries(node)) {
      if (name === "key" && !node.computed) continue;
      if (name === "property" && !node.computed) continue;
      for (const each of Array.isArray(child) ? child : [child])
        if (each && typeof each.type === "string") visit(each);
    }
  };
  visit(program);

  const lines = lineStarts(source);
  const seen = new Set();
  return found
    .map(({ at, ...mutant }) => ({
      ...mutant,
      line: lines.findLastIndex((start) => start <= at) + 1,
    }))
    .filter(({ start, end, text }) => {
      const key = `${start} ${end} ${text}`;
      return !seen.has(key) && seen.add(key);
    });
}

const WITH_VALUE = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

function isLeftOut(node) {
  if (node.type.startsWith("TS")) return !WITH_VALUE.has(node.type);
  if (node.type === "TaggedTemplateExpression") return node.tag.name === "modelText";
  return (
    node.type === "ImportDeclaration" ||
    node.type === "ExportAllDeclaration" ||
    node.type === "ThrowStatement" ||
    (node.type === "ExportNamedDeclaration" && node.source !== null)
  );
}

function isText(node) {
  return node.type === "TemplateLiteral" || typeof node.value === "string";
}

function isIndexed(node) {
  return node.type === "MemberExpression" && node.computed;
}

function withoutParentheses(node) {
  return node.type === "ParenthesizedExpression" ? withoutParentheses(node.expression) : node;
}

function isBlank(node) {
  return (
    node.value === "" ||
    node.value === 0 ||
    (node.type === "ArrayExpression" && !node.elements.length)
  );
}

function lineStarts(source) {
  return [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/** The source as one mutant leaves it. */
export function mutated(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}

/**
 * Whether a mutant makes the change of an entry of mutants-equivalent.json: replaces `from`, which occurs once in the
 * source, by `to`.
 */
export function isEquivalent({ file, from, to }, mutant, source) {
  if (file !== mutant.file) return false;
  const at = source.indexOf(from);
  if (at < 0 || at > mutant.start || at + from.length < mutant.end) return false;
  return source.slice(0, at) + to + source.slice(at + from.length) === mutated(source, mutant);
}

/** The source with all these mutants in it: number `id` takes effect while `globalThis.isMutant(id)`. */
export function withSwitches(source, mutants) {
  const groups = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end}`;
    groups.set(key, [...(groups.get(key) ?? []), mutant]);
  }
  const ranges = [...groups.values()]
    .map((group) => ({ start: group[0].start, end: group[0].end, group }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const render = (from, to) => {
    let text = "";
    let at = from;
    while (next < ranges.length && ranges[next].start < to) {
      const { start, end, group } = ranges[next++];
      text += source.slice(at, start) + switched(group, render(start, end));
      at = end;
    }
    return text + source.slice(at, to);
  };
  return render(0, source.length);
}

function switched(group, original) {
  const isActive = ({ id }) => `globalThis.isMutant(${id})`;
  const [{ kind }] = group;
  if (kind === "block" || kind === "statement")
    return `{ if (!${isActive(group[0])}) ${kind === "block" ? original : `{ ${original} }`} }`;
  const choices = group.map((mutant) => `${isActive(mutant)} ? (${mutant.text}) : `);
  return `(${choices.join("")}(${original}))`;
}
