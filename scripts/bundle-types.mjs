// Bundles type declarations: one file per entry of the package and one that they share, with everything that the exports
// refer to and nothing else. Reads the declarations that tsc wrote for each module.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";

/** Node types whose field refers to a declaration. Any other identifier is a name of its own: a key, a parameter. */
const REFERENCES = {
  TSTypeReference: "typeName",
  TSTypeQuery: "exprName",
  TSInterfaceHeritage: "expression",
  TSClassImplements: "expression",
};

/**
 * The declarations of one entry as one file.
 *
 * @param entry path of the entry's own declarations, as tsc wrote them
 */
export function bundleTypes(entry) {
  const moduleAt = moduleCache();
  return printBundle(collect(entry, moduleAt), moduleAt);
}

/**
 * The declarations of several entries. A declaration that two entries need moves to one shared file, which both import.
 *
 * @param entries `{ path, file }` of each: the declarations that tsc wrote, and the file to write
 * @param sharedFile the file for shared declarations
 * @returns the text of each file
 */
export function bundleTogether(entries, sharedFile) {
  const moduleAt = moduleCache();
  const collected = entries.map(({ path, file }) => ({ file, ...collect(path, moduleAt) }));
  const counts = new Map();
  for (const { needed } of collected)
    for (const key of needed.keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const needed = new Map();
  const globals = new Set();
  for (const one of collected) {
    for (const name of one.globals) globals.add(name);
    for (const [key, each] of one.needed) if (counts.get(key) > 1) needed.set(key, each);
  }
  const sharedNames = nameAll({ published: [], needed, globals });
  const published = [...needed]
    .filter(([, { place }]) => !place.external)
    .map(([key, { place }]) => ({ key, name: sharedNames.get(key), isType: false, place }));
  const files = new Map([
    [
      sharedFile,
      printBundle({ published, needed, globals }, moduleAt, { outputNames: sharedNames }),
    ],
  ]);
  for (const { file, ...one } of collected) {
    const shared = new Map();
    for (const { key } of published) if (one.needed.has(key)) shared.set(key, sharedNames.get(key));
    files.set(file, printBundle(one, moduleAt, { shared, from: specifier(file, sharedFile) }));
  }
  return files;
}

function specifier(file, target) {
  const path = relative(dirname(file), target).replace(/\.d\.ts$/, ".js");
  return path.startsWith(".") ? path : `./${path}`;
}

function moduleCache() {
  const modules = new Map();
  return (path) => {
    if (!modules.has(path)) modules.set(path, readModule(path));
    return modules.get(path);
  };
}

/**
 * The public names of an entry, every declaration they need, in the order of discovery, and the
 * globals in use.
 */
function collect(entry, moduleAt) {
  /** The declaration of an exported name of a module: `{ path, name }` or `{ external, name }`. */
  function exported(path, name, seen = new Set()) {
    if (seen.has(path)) return undefined;
    seen.add(path);
    const { exports, stars } = moduleAt(path);
    const known = exports.get(name);
    if (known?.from !== undefined) return following(path, known.from, known.name);
    if (known) return declared(path, known.name);
    for (const from of stars) {
      if (!isRelative(from)) fail(path, `export * from "${from}"`);
      const found = exported(targetOf(path, from), name, seen);
      if (found) return found;
    }
    return undefined;
  }

  function following(path, from, name) {
    if (!isRelative(from)) return { external: from, name };
    if (name === "*") fail(path, `a namespace of "${from}"`);
    const found = exported(targetOf(path, from), name);
    return found ?? fail(path, `"${name}", which "${from}" does not export`);
  }

  /** The same for a name inside of a module; nothing for a global. */
  function declared(path, name) {
    const { locals, imports } = moduleAt(path);
    if (locals.has(name)) return { path, name };
    const known = imports.get(name);
    const found = known && following(path, known.from, known.name);
    return found?.name === "*" ? { ...found, alias: name } : found;
  }

  function namesOf(path, seen = new Set()) {
    if (seen.has(path)) return [];
    seen.add(path);
    const { exports, stars } = moduleAt(path);
    return [...exports.keys(), ...stars.flatMap((from) => namesOf(targetOf(path, from), seen))];
  }

  const publicNames = [...new Set(namesOf(entry))].filter((name) => name !== "default");
  const published = publicNames.map((name) => ({
    name,
    isType: moduleAt(entry).exports.get(name)?.isType ?? false,
    key: keyOf(exported(entry, name)),
    place: exported(entry, name),
  }));

  const needed = new Map();
  const globals = new Set();
  const waiting = published.map(({ place }) => place);
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    if (needed.has(keyOf(place))) continue;
    const statements = place.external ? [] : moduleAt(place.path).locals.get(place.name);
    const parts = statements.map((statement) => {
      const references = [];
      for (const reference of referencesIn(statement)) {
        const target =
          reference.from === undefined
            ? declared(place.path, reference.name)
            : following(place.path, reference.from, reference.name);
        if (target) waiting.push(target);
        else globals.add(reference.name);
        if (target) references.push({ ...reference, key: keyOf(target) });
      }
      return { statement, references };
    });
    needed.set(keyOf(place), { place, parts });
  }
  return { published, needed, globals, comment: packageComment(moduleAt(entry)) };
}

/** Names that collide get a number. Public names come first, and a global that is used keeps its meaning. */
function nameAll({ published, needed, globals }) {
  const outputNames = new Map();
  const taken = new Set(globals);
  const give = (key, wanted) => {
    let name = wanted;
    for (let number = 1; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    outputNames.set(key, name);
  };
  for (const { key, name } of published) if (!outputNames.has(key)) give(key, name);
  for (const [key, { place }] of needed)
    if (!outputNames.has(key)) give(key, place.alias ?? place.name);
  return outputNames;
}

/**
 * One file of declarations.
 *
 * @param shared the declarations that another file, `from`, exports: their keys and their names there
 */
function printBundle(
  collected,
  moduleAt,
  { outputNames = nameAll(collected), shared = new Map(), from = "" } = {},
) {
  const { published, needed, comment: about = "" } = collected;
  const imports = new Map();
  const body = [];
  const more = [];
  const again = [];
  const written = new Set();
  for (const { key, name, isType } of published) {
    const output = outputNames.get(key);
    const isValue = needed
      .get(key)
      .parts.some(({ statement }) => VALUES.has(inner(statement).type));
    const isTypeOnly = isType && isValue;
    if (shared.has(key)) {
      again.push({ isType: isTypeOnly, text: renamed(shared.get(key), name) });
      continue;
    }
    const isInline = output === name && !isTypeOnly && !needed.get(key).place.external;
    if (isInline) written.add(key);
    else more.push({ isType: isTypeOnly, text: renamed(output, name) });
  }
  const referenced = new Set();
  for (const [key, { parts }] of needed)
    if (!shared.has(key))
      for (const { references } of parts) for (const one of references) referenced.add(one.key);
  const done = new Set();
  for (const [key, { place, parts }] of needed) {
    const output = outputNames.get(key);
    if (shared.has(key)) {
      if (referenced.has(key))
        imports.set(from, [...(imports.get(from) ?? []), { name: shared.get(key), output }]);
      continue;
    }
    if (place.external) {
      const list = imports.get(place.external) ?? [];
      imports.set(place.external, [...list, { name: place.name, output }]);
      continue;
    }
    const { text, path } = moduleAt(place.path);
    for (const { statement, references } of parts) {
      if (done.has(`${path}:${statement.start}`)) continue;
      done.add(`${path}:${statement.start}`);
      const edits = references.map(({ start, end, key: target }) => ({
        start,
        end,
        text: outputNames.get(target),
      }));
      if (output !== place.name)
        for (const id of idsOf(statement).filter((one) => one.name === place.name))
          edits.push({ start: id.start, end: id.end ?? id.start, text: output, isName: true });
      const source = edited(text, statement.start, statement.end, edits).replace(/^export\s+/, "");
      const comment = commentOf(moduleAt(place.path), statement);
      body.push(`${comment}${written.has(key) ? "export " : ""}${source}\n`);
    }
  }

  const head = [...imports].map(([from, names]) => importLine(from, names)).join("");
  const tail = [
    exportLine("export type", again, true, from),
    exportLine("export", again, false, from),
    exportLine("export type", more, true),
    exportLine("export", more, false),
  ].join("");
  return `${about}${head}${head && "\n"}${body.join("\n")}\n${tail || "export {};\n"}`;
}

const VALUES = new Set([
  "VariableDeclaration",
  "FunctionDeclaration",
  "TSDeclareFunction",
  "ClassDeclaration",
]);

function importLine(from, names) {
  const whole = names.filter(({ name }) => name === "*");
  const lines = whole.map(({ output }) => `import type * as ${output} from "${from}";\n`);
  const parts = names
    .filter(({ name }) => name !== "*")
    .map(({ name, output }) => renamed(name, output));
  if (parts.length > 0) lines.push(`import type { ${parts.join(", ")} } from "${from}";\n`);
  return lines.join("");
}

function exportLine(keyword, names, isType, from) {
  const chosen = names.filter((one) => one.isType === isType).map(({ text }) => text);
  const source = from === undefined ? "" : ` from "${from}"`;
  return chosen.length === 0 ? "" : `${keyword} { ${chosen.join(", ")} }${source};\n`;
}

function renamed(name, to) {
  return name === to ? name : `${name} as ${to}`;
}

function keyOf(place) {
  if (!place) throw new Error("A name is exported that is not declared.");
  return place.external ? `${place.external}#${place.name}` : `${place.path}#${place.name}`;
}

function fail(path, what) {
  throw new Error(`${path}: the bundler of declarations does not know ${what}.`);
}

const isRelative = (specifier) => specifier.startsWith(".");

function targetOf(path, specifier) {
  return join(dirname(path), specifier.replace(/(?:\.d)?\.[jt]sx?$/, "")).concat(".d.ts");
}

/** The declaration of a statement, without its `export`. */
function inner(statement) {
  return statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
}

/** The identifiers that a statement declares. */
function idsOf(statement) {
  const node = inner(statement);
  if (node.type !== "VariableDeclaration") return node.id ? [named(node.id)] : [];
  return node.declarations.map(({ id }) => named(id));
}

/** The range of the name alone; the range of a variable includes its type. */
function named({ name, start }) {
  return { name, start, end: start + name.length };
}

function readModule(path) {
  const text = readFileSync(path, "utf8");
  const { program, comments, errors } = parseSync(path, text, {
    lang: "dts",
    sourceType: "module",
  });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const module = {
    path,
    text,
    comments,
    imports: new Map(),
    locals: new Map(),
    exports: new Map(),
    stars: [],
  };
  for (const statement of program.body) {
    switch (statement.type) {
      case "ImportDeclaration":
        for (const { type, local, imported } of statement.specifiers) {
          const name =
            type === "ImportNamespaceSpecifier"
              ? "*"
              : type === "ImportSpecifier"
                ? imported.name
                : "default";
          module.imports.set(local.name, { from: statement.source.value, name });
        }
        break;
      case "ExportAllDeclaration":
        if (statement.exported)
          module.exports.set(statement.exported.name, { from: statement.source.value, name: "*" });
        else module.stars.push(statement.source.value);
        break;
      case "ExportNamedDeclaration": {
        const from = statement.source?.value;
        for (const { local, exported: given, exportKind } of statement.specifiers) {
          const isType = statement.exportKind === "type" || exportKind === "type";
          module.exports.set(given.name, {
            ...(from !== undefined && { from }),
            name: local.name,
            isType,
          });
        }
        if (statement.declaration) declare(module, statement, true);
        break;
      }
      default:
        declare(module, statement, false);
    }
  }
  return module;
}

function declare(module, statement, isExported) {
  for (const { name } of idsOf(statement)) {
    module.locals.set(name, [...(module.locals.get(name) ?? []), statement]);
    if (isExported) module.exports.set(name, { name });
  }
}

/** References to declarations outside of a statement, with their places in the text. */
function* referencesIn(node, inScope = new Set()) {
  if (Array.isArray(node)) {
    for (const each of node) yield* referencesIn(each, inScope);
    return;
  }
  if (typeof node?.type !== "string") return;
  const scope = new Set([...inScope, ...parametersOf(node)]);
  if (node.type === "TSImportType") {
    const qualifier = leftmost(node.qualifier);
    const from = (node.source ?? node.argument?.literal ?? node.argument).value;
    yield { from, name: qualifier.name, start: node.start, end: qualifier.end };
    yield* referencesIn(node.typeArguments, scope);
    return;
  }
  const field = REFERENCES[node.type];
  const names = [
    ...(field ? [node[field]] : []),
    ...(node.type === "ClassDeclaration" && node.superClass ? [node.superClass] : []),
    ...(node.computed && node.key ? [node.key] : []),
  ];
  for (const each of names) {
    const id = leftmost(each);
    if (id?.type === "Identifier" && !scope.has(id.name)) yield id;
    if (each.type === "TSImportType") yield* referencesIn(each, scope);
  }
  for (const [key, value] of Object.entries(node)) {
    if (key === field || key === "superClass" || typeof value !== "object") continue;
    yield* referencesIn(value, scope);
  }
}

/** `a` of `a.b.c`. */
function leftmost(node) {
  if (node?.type === "TSQualifiedName") return leftmost(node.left);
  return node?.type === "MemberExpression" ? leftmost(node.object) : node;
}

/** The type parameters that a node declares; also those that it infers, and the key of a mapped type. */
function parametersOf(node) {
  const names = (node.typeParameters?.params ?? []).map(({ name }) => name.name ?? name);
  if (node.type === "TSMappedType") names.push(node.key?.name ?? node.key);
  if (node.type === "TSConditionalType") names.push(...inferredIn(node.extendsType));
  if (node.type === "TSFunctionType" || node.type === "TSDeclareFunction" || node.params)
    names.push(
      ...(node.params ?? []).flatMap((one) => (typeof one?.name === "string" ? [one.name] : [])),
    );
  return names;
}

function inferredIn(node) {
  if (Array.isArray(node)) return node.flatMap(inferredIn);
  if (typeof node?.type !== "string") return [];
  const own =
    node.type === "TSInferType" ? [node.typeParameter.name.name ?? node.typeParameter.name] : [];
  return [
    ...own,
    ...Object.values(node).flatMap((each) => (typeof each === "object" ? inferredIn(each) : [])),
  ];
}

function edited(text, start, end, edits) {
  let result = "";
  let at = start;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at, end);
}

/** The comment that describes the whole entry. */
function packageComment({ comments }) {
  const comment = comments.find(({ value }) => value.includes("@packageDocumentation"));
  return comment ? `/*${comment.value}*/\n\n` : "";
}

/** The doc comment before a statement. */
function commentOf({ text, comments }, { start }) {
  const comment = comments.findLast(({ end }) => end <= start);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return "";
  if (comment.value.includes("@packageDocumentation")) return "";
  return text.slice(comment.end, start).trim() === "" ? `/*${comment.value}*/\n` : "";
}
