import { type JSONPath, type Node, type NodeType, visit } from "jsonc-parser";
import type { Path } from "./document.ts";

type OpenNode = { -readonly [K in keyof Node]: Node[K] };

/**
 * The part of a JSON document along a path: the root, every value on the path, and their children without content. A
 * full tree would take a hundred times the memory of a large configuration. Errors in the text are not reported.
 */
export function treeAlong(text: string, path: Path): Node | undefined {
  const document: Node = { type: "array", offset: -1, length: -1, children: [] };
  const open: OpenNode[] = [document];
  const add = (node: Node): Node => {
    open.at(-1)?.children?.push(node);
    return node;
  };
  const close = (end: number): void => {
    const node = open.pop();
    if (node) node.length = end - node.offset;
  };
  /** A property ends with its value. */
  const closeProperty = (end: number): void => {
    if (open.at(-1)?.type === "property") close(end);
  };
  const begin = (type: "object" | "array") => {
    return (
      offset: number,
      _length: number,
      _line: number,
      _column: number,
      at: () => JSONPath,
    ) => {
      open.push(add({ type, offset, length: -1, children: [] }));
      return isOnPath(at(), path);
    };
  };
  const end = (offset: number, length: number): void => {
    closeProperty(offset + length);
    close(offset + length);
    closeProperty(offset + length);
  };
  visit(
    text,
    {
      onObjectBegin: begin("object"),
      onArrayBegin: begin("array"),
      onObjectEnd: end,
      onArrayEnd: end,
      onObjectProperty(name, offset, length) {
        const value: Node = { type: "string", value: name, offset, length };
        open.push(add({ type: "property", offset, length: -1, children: [value] }));
      },
      onLiteralValue(value, offset, length) {
        add({ type: typeOf(value), value, offset, length });
        closeProperty(offset + length);
      },
    },
    { allowTrailingComma: true },
  );
  return document.children?.[0];
}

function isOnPath(at: JSONPath, path: Path): boolean {
  return at.length <= path.length && at.every((name, index) => String(name) === path[index]);
}

function typeOf(value: unknown): NodeType {
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "number";
  return value === null ? "null" : "boolean";
}
