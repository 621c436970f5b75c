import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test.each(["cli", "ink", "listing", "mcp-sdk", "quick", "start", "reading-thread"])(
  "%s is ASCII: one other character in a pattern, and V8 keeps all of it twice as large",
  (name) => {
    const text = readFileSync(`dist/${name}.cjs`, "utf8");
    expect([...text.matchAll(/[^\0-\x7f]+/g)].map(([found]) => found)).toEqual([]);
  },
);
