import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const text = readFileSync(new URL("ARCHITECTURE.md", ROOT), "utf8");
const named = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, path = ""]) => path);
const paths = [...new Set(named)].filter(
  (path) => /\.(?:ts|tsx|mjs|js|wat)$/.test(path) || path.endsWith("/"),
);

test("ARCHITECTURE.md names files and folders that exist", () => {
  expect(paths.length).toBeGreaterThan(80);
  const missing = paths.filter(
    (path) => !existsSync(new URL(path, ROOT)) && !existsSync(new URL(`src/${path}`, ROOT)),
  );
  expect(missing.filter((path) => path !== "spool/" && path !== "sql/")).toEqual([]);
});
