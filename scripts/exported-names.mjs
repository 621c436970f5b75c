// Lists the names that a bundle of declarations exports.
import { parseSync } from "oxc-parser";

/**
 * The exported names of a bundle, sorted.
 *
 * @param shared text of the file that the bundle re-exports names from
 * @returns `[{ name, isValue }]`; `isValue`: the name exists at run time
 */
export function exportedNames(file, text, shared) {
  const sharedValues = new Set();
  if (shared !== undefined)
    for (const { name, isValue } of exportedNames("shared.d.ts", shared))
      if (isValue) sharedValues.add(name);
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
        const isType = statement.exportKind === "type";
        names.set(exported.name, isType ? "" : local.name);
        if (!isType && statement.source && sharedValues.has(local.name)) values.add(local.name);
      }
  }
  return [...names]
    .map(([name, local]) => ({ name, isValue: values.has(local) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
