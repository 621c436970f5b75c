import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { treeOf } from "./faults/tree.ts";
import { needs, ONLY_AT_FULL_SIZE } from "./skipped.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-package-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
let packed: Packed;

const npm = (args: readonly string[], cwd: string) => {
  const ran = spawnSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (ran.status !== 0) throw new Error(`npm ${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.stdout;
};

beforeAll(() => {
  // Built before the tests; building again would take the files from under them.
  const said = npm(
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    resolve("."),
  );
  [packed] = JSON.parse(said) as [Packed];
}, 60_000);

test("holds the program, the doors of the library and the docs, and nothing of the workshop", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "bin/waymark.js",
      "bin/waymark-hook",
      "dist/cli.cjs",
      "dist/index.js",
      "dist/THIRD_PARTY_LICENSES",
      "docs/formats.md",
      "plugins/claude-code/README.md",
      "README.md",
      "LICENSE",
    ]),
  );
  expect(paths.filter((path) => /^(?:test|src|scripts|bench|e2e|\.ci)\//.test(path))).toEqual([]);
});

test("S6 runs nothing when it is installed, and needs at most one package", () => {
  const { scripts, dependencies, optionalDependencies } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  expect(dependencies).toBeUndefined();
  expect(Object.keys(optionalDependencies)).toEqual(["libsql"]);
});

test("installs into an empty folder and works there, as a program and as a library", () => {
  const empty = mkdtempSync(join(folder, "empty-"));
  npm(["install", "--prefer-offline", join(folder, packed.filename)], empty);
  const env = { ...process.env, HOME: empty, WAYMARK_HOME: join(empty, "home") };
  const run = (command: string, args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: empty,
      env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  };
  const waymark = (...args: string[]) => run("npx", ["--no-install", "waymark", ...args]);
  waymark("todo", "add", "Pack it", "--session", "demo");
  expect(waymark("todos", "--session", "demo")).toContain("Pack it");
  const program = `import { createTracker } from "waymark";
    const list = createTracker().list({ session: "s", agent: "main" });
    list.set([{ text: "one", status: "pending" }]);
    console.log(JSON.stringify(list.progress()));`;
  expect(run(process.execPath, ["--input-type=module", "-e", program])).toContain('"total":1');
}, 120_000);

test("S6 two builds in two places are the same, byte for byte", {
  ...needs(ONLY_AT_FULL_SIZE),
  timeout: 120_000,
}, () => {
  const built = ["one", "another place"].map((name) => {
    const copy = join(folder, name);
    for (const part of ["src", "scripts", "bin", "package.json", "tsconfig.json"])
      cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"), "junction");
    const build = spawnSync(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: copy });
    expect([build.status, String(build.stderr)]).toEqual([0, ""]);
    const { ...tree } = treeOf(join(copy, "dist"));
    // What V8 has compiled is good for one version of it, and checked before it is used.
    return Object.fromEntries(Object.entries(tree).filter(([file]) => !file.endsWith(".cache")));
  });
  expect(Object.keys(built[0] ?? {}).length).toBeGreaterThan(20);
  expect(built[1]).toEqual(built[0]);
});
