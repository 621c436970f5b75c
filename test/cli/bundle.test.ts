import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test.each(["cli", "lists", "mcp", "more", "mcp-sdk", "quick", "start", "reading-thread"])(
  "%s is pure ASCII, because one other character doubles its size in V8",
  (name) => {
    const text = readFileSync(`dist/${name}.cjs`, "utf8");
    expect([...text.matchAll(/[^\0-\x7f]+/g)].map(([found]) => found)).toEqual([]);
  },
);
