// Compiles programs against the declarations of the package, as a user has them: in node_modules, under its name.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { entries, writeTypes } from "./types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Entries whose types include those of a peer package. */
export const PEERS = {
  "waymark/ink": ["@types/react", "csstype"],
  "waymark/sdk/ai": ["ai"],
  "waymark/acp": ["@agentclientprotocol/sdk"],
};

/** Installs the package into `node_modules` of a directory, with these packages beside it. */
export function makeConsumer(dir, packages = []) {
  const target = join(dir, "node_modules", "waymark");
  mkdirSync(target, { recursive: true });
  cpSync(join(root, "package.json"), join(target, "package.json"));
  const status = writeTypes(target);
  if (status !== 0) throw new Error(`tsc ended with ${status}.`);
  for (const name of packages) linkPackage(dir, name);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
}

/** Links a package of this repository beside it. */
export function linkPackage(dir, name) {
  const link = join(dir, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(join(root, "node_modules", name), link, "junction");
}

/** A program that imports every export of these entries. */
export function importAll(names = entries().map(({ name }) => name)) {
  return names
    .map((name, place) => `import * as entry${place} from "${name}";\nexport { entry${place} };\n`)
    .join("");
}

/** Module resolution modes of users. */
export const MODULES = {
  NodeNext: { module: "nodenext", moduleResolution: "nodenext" },
  Node16: { module: "node16", moduleResolution: "node16" },
  Bundler: { module: "esnext", moduleResolution: "bundler" },
};

/** The strictest settings; declarations are checked as well. */
export const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
};

/**
 * Compiles a program in `dir`, or several by their file names. Returns its errors and those of our declarations. Errors in the
 * declarations of other packages are left out: some do not compile under these settings.
 */
export function compile(
  dir,
  program,
  options,
  tsc = join(root, "node_modules/typescript/bin/tsc"),
) {
  const files = typeof program === "string" ? { "program.ts": program } : program;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const compilerOptions = { target: "es2022", noEmit: true, types: [], ...options };
  writeFileSync(
    join(dir, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  );
  const ran = spawnSync(process.execPath, [tsc, "-p", dir, "--pretty", "false"], {
    encoding: "utf8",
  });
  if (ran.status === null) throw new Error(`tsc was ended by ${ran.signal}.`);
  const isOurs = (error) => !/^[^(]*\bnode_modules\/(?!waymark\/)/.test(error);
  const errors = `${ran.stdout}${ran.stderr}`.split(/\n(?! )/).filter(isOurs);
  return errors.join("\n").trim();
}
