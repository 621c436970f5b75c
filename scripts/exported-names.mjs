// The names that a bundle of declarations exports: what pins them, and the reference, start from it.
import { parseSync } from "oxc-parser";

/** `[{ name, isValue }]`, sorted by name; `isValue`: it exists at run time. */
export function exportedNames(file, text) {
  const { program } = parseSync(file, text, { lang: "dts", sourceType: "module" });
  const values = new Set();
  const declared = new Set();
  const names = new Map();
  for (const statement of program.body) {
    const node = statement.declaration ?? statement;
    const isValue = [
      "VariableDeclaration",
      "TSDeclareFunction",
      "FunctionDeclaration",
      "ClassDeclaration",
    ];
    const ids =
      node.type === "VariableDeclaration" ? node.declarations.map(({ id }) => id) : [node.id];
    for (const { name } of ids.filter(Boolean)) {
      declared.add(name);
      if (isValue.includes(node.type)) values.add(name);
      if (statement.type === "ExportNamedDeclaration") names.set(name, name);
    }
    for (const { local, exported } of statement.specifiers ?? [])
      if (statement.type === "ExportNamedDeclaration") {
        names.set(exported.name, statement.exportKind === "type" ? "" : local.name);
      }
  }
  return [...names]
    .map(([name, local]) => ({ name, isValue: values.has(local) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
