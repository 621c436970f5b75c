// Writes the type declarations of the package into dist: one file per entry, beside its code, and one for what several share.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleTogether, bundleTypes } from "./bundle-types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The declarations that several entries need. */
export const SHARED = "./dist/types.d.ts";

/** The entries of the package that are code: `{ name, file }`, with the file of the types below the root. */
export function entries() {
  const { name, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([path, entry]) =>
    typeof entry === "string" ? [] : [{ name: name + path.slice(1), file: entry.types }],
  );
}

/**
 * Writes the declarations below `target`.
 *
 * @param isShared false: each file is complete by itself
 * @returns the exit code of tsc
 */
export function writeTypes(target = root, { isShared = true } = {}) {
  const modules = mkdtempSync(join(tmpdir(), "waymark-types-"));
  try {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", modules];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) return status ?? 1;
    const sources = entries().map(({ file }) => ({
      file,
      path: join(modules, relative("dist", file)),
    }));
    const texts = isShared
      ? bundleTogether(sources, SHARED)
      : new Map(sources.map(({ file, path }) => [file, bundleTypes(path)]));
    for (const [file, text] of texts) {
      const path = join(target, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return 0;
  } finally {
    rmSync(modules, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = writeTypes();
