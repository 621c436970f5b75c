// The API reference in Markdown, one page for each entry, made from the declarations of the package.
import { parseSync } from "oxc-parser";

const KINDS = [
  ["Functions", ["TSDeclareFunction", "FunctionDeclaration"]],
  ["Classes", ["ClassDeclaration"]],
  ["Constants", ["VariableDeclaration"]],
  ["Types", ["TSInterfaceDeclaration", "TSTypeAliasDeclaration"]],
];

/** The exports of a bundle: `[{ name, type, comment, declarations, parameters }]`, overloads together. */
export function exportsOf(file, text) {
  const { program, comments } = parseSync(file, text, { lang: "dts", sourceType: "module" });
  const aliases = new Map();
  const found = new Map();
  for (const statement of program.body)
    for (const { local, exported } of statement.specifiers ?? [])
      if (statement.type === "ExportNamedDeclaration") aliases.set(local.name, exported.name);
  for (const statement of program.body) {
    const node = statement.declaration ?? statement;
    const id = node.type === "VariableDeclaration" ? node.declarations[0].id : node.id;
    const isExported = statement.type === "ExportNamedDeclaration" && statement.declaration;
    const name = isExported ? id?.name : aliases.get(id?.name);
    if (name === undefined) continue;
    const entry = found.get(name) ?? {
      name,
      type: node.type,
      comment: "",
      declarations: [],
      parameters: [],
    };
    const source = text.slice(statement.start, statement.end).replace(/^export\s+/, "");
    entry.declarations.push(source.replace(/^declare\s+/, ""));
    entry.comment ||= commentBefore(text, comments, statement.start);
    for (const { name: parameter, left } of node.params ?? [])
      if (!entry.parameters.includes(parameter ?? left?.name))
        entry.parameters.push(parameter ?? left?.name);
    found.set(name, entry);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function commentBefore(text, comments, start) {
  const comment = comments.findLast(({ end }) => end <= start);
  if (!comment?.value.startsWith("*") || comment.value.includes("@packageDocumentation")) return "";
  return text.slice(comment.end, start).trim() === "" ? proseOf(comment.value) : "";
}

function proseOf(comment) {
  return comment
    .replace(/^\*/, "")
    .replace(/^[ \t]*\*[ \t]?/gm, "")
    .trim();
}

/** The text of a comment and its tags: `{ text, tags: [{ tag, text }] }`. */
export function tagsOf(comment) {
  const [text = "", ...tags] = comment.split(/^@(?=\w)/m);
  return {
    text: text.trim(),
    tags: tags.map((one) => {
      const [, tag, rest] = /^(\w+)\s*([\s\S]*)$/.exec(one);
      return { tag, text: rest.trim() };
    }),
  };
}

/** The page of one entry. */
export function referencePage(name, file, text) {
  const about = /\/\*(\*(?:(?!\*\/)[\s\S])*?@packageDocumentation\s*)\*\//.exec(text)?.[1] ?? "";
  const all = exportsOf(file, text);
  const sections = KINDS.flatMap(([title, types]) => {
    const members = all.filter(({ type }) => types.includes(type));
    return members.length === 0 ? [] : [`## ${title}`, ...members.map(describe)];
  });
  const intro = proseOf(about).replace("@packageDocumentation", "").trim();
  const parts = [`# ${name}`, intro, `\`\`\`ts\nimport { … } from "${name}";\n\`\`\``, ...sections];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function describe({ name, comment, declarations }) {
  const { text, tags } = tagsOf(comment);
  const of = (tag) => tags.filter((one) => one.tag === tag).map((one) => one.text);
  const parameters = of("param").map((one) => {
    const [parameter, ...words] = one.split(/\s+/);
    return `- \`${parameter}\`: ${words.join(" ").replace(/^- /, "")}`;
  });
  const more = [
    ...(parameters.length > 0 ? [parameters.join("\n")] : []),
    ...of("returns").map((one) => `Returns ${one.replaceAll("\n", " ")}.`),
    ...of("throws").map((one) => `Throws ${one.replaceAll("\n", " ")}.`),
    ...of("example").map(exampleOf),
  ];
  const source = declarations.join("\n").replace(/^ {4}/gm, "  ");
  return [`### ${name}`, text, `\`\`\`ts\n${source}\n\`\`\``, ...more]
    .filter((part) => part !== "")
    .join("\n\n");
}

function exampleOf(text) {
  const [, title, code] = /^(.*?)\n*(```[\s\S]*)$/s.exec(text) ?? [undefined, "", text];
  return `Example${title.trim() ? `: ${title.trim()}` : ""}\n\n${code}`;
}

/** All pages by their file names. */
export function referencePages(entries) {
  const pageOf = (name) => `${name.replaceAll("/", "-")}.md`;
  const rows = entries.map(({ name, file, text }) => {
    const names = exportsOf(file, text).filter(({ type }) => !KINDS[3][1].includes(type));
    return `| [${name}](${pageOf(name)}) | ${names.map((one) => `\`${one.name}\``).join(", ")} |`;
  });
  const index = `# API reference

Every entry of the package. \`npm run docs\` writes these pages from the comments in the source.

| entry | exports at run time |
|---|---|
${rows.join("\n")}
`;
  const pages = entries.map(({ name, file, text }) => [
    pageOf(name),
    referencePage(name, file, text),
  ]);
  return { "README.md": index, ...Object.fromEntries(pages) };
}
