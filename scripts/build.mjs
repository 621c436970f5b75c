// Bundles the program and the library, then writes the type declarations.
// Only libsql stays outside the bundle: it is a native driver, and optional.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
process.chdir(root);

const require = createRequire(import.meta.url);
const { exports: doors } = require("../package.json");
const entryPoints = Object.values(doors)
  .filter((door) => typeof door === "object")
  .map((door) => door.types.replace("./dist/types/", "src/").replace(/\.d\.ts$/, ".ts"));

if (!process.argv.includes("--no-types")) rmSync("dist", { recursive: true, force: true, maxRetries: 3 });
await build({
  entryPoints: [...entryPoints, "src/cli/main.ts"].filter((f) => existsSync(f)),
  outbase: "src",
  outdir: "dist",
  bundle: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  format: "esm",
  platform: "node",
  target: "node20",
  external: ["libsql", "vitest"],
  loader: { ".sql": "text" },
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "none",
  logLevel: "warning",
});

if (!process.argv.includes("--no-types")) {
  const tsc = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
    {
      stdio: "inherit",
    },
  );
  process.exitCode = tsc.status ?? 1;
}
