// Adds a counter to every branch of a TypeScript source.
import { parseSync } from "oxc-parser";

const BODIES = {
  FunctionDeclaration: ["body"],
  FunctionExpression: ["body"],
  ArrowFunctionExpression: ["body"],
  CatchClause: ["body"],
  IfStatement: ["consequent", "alternate"],
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["right"],
  ForStatement: ["body"],
  ForOfStatement: ["body"],
  ForInStatement: ["body"],
  WhileStatement: ["body"],
  DoWhileStatement: ["body"],
};

/** The source with `blocks` counters from number `first`, and the names and texts in it. */
export function instrument(file, source, first) {
  const { program } = parseSync(file, source);
  const inserted = [];
  const tokens = new Set();
  let next = first;
  const count = () => `__counters[${next++}]++`;
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== "string") return;
    if (node.type.startsWith("TSType") || node.type === "TSInterfaceDeclaration") return;
    collect(node, tokens);
    const branches = BODIES[node.type]?.map((name) => node[name]) ?? [];
    for (const branch of branches.filter(Boolean)) {
      const { type, start, end } = branch;
      if (type === "BlockStatement" || type === "FunctionBody")
        inserted.push([start + 1, `${count()};`]);
      else if (type.endsWith("Statement") || type.endsWith("Declaration"))
        inserted.push([start, `{${count()};`], [end, "}"]);
      else inserted.push([start, `(${count()}, `], [end, ")"]);
    }
    if (node.type === "SwitchCase" && node.consequent.length > 0)
      inserted.push([node.consequent[0].start, `${count()};`]);
    for (const value of Object.values(node)) if (typeof value === "object") visit(value);
  };
  visit(program);
  let code = "";
  let at = 0;
  // Sorting is stable: what encloses opens first. At one offset at most one kind of bracket closes.
  for (const [offset, text] of inserted.sort(([a], [b]) => a - b)) {
    code += source.slice(at, offset) + text;
    at = offset;
  }
  return { code: code + source.slice(at), blocks: next - first, tokens: [...tokens] };
}

const MAX_TOKEN = 40;

/** Names of properties, strings, and the words of regular expressions: what a parser may look for. */
function collect(node, tokens) {
  if (node.type === "Literal" && node.regex)
    for (const word of node.regex.pattern.match(/[\w<-]{3,}/g) ?? []) tokens.add(word);
  const found =
    node.type === "Literal"
      ? node.value
      : node.type === "TemplateElement"
        ? node.value.cooked
        : (node.type === "MemberExpression" && !node.computed && node.property.name) ||
          (node.type === "Property" && node.key.name);
  if (typeof found === "string" && found !== "" && found.length <= MAX_TOKEN) tokens.add(found);
}
