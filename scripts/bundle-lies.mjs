// Bundles the code that measures the corpus of test/fixtures/lies, so that Node runs it without a loader.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("..", import.meta.url);

/** The module test/lies/report.ts. */
export async function loadLies() {
  const cache = new URL("node_modules/.cache/waymark/", root);
  mkdirSync(cache, { recursive: true });
  const outfile = new URL("lies.mjs", cache);
  await build({
    entryPoints: [fileURLToPath(new URL("test/lies/report.ts", root))],
    outfile: fileURLToPath(outfile),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  return import(`${outfile.href}?${Date.now()}`);
}

/** The folder of the corpus. */
export const LIES = fileURLToPath(new URL("test/fixtures/lies", root));
