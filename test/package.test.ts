import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packedReadme } from "../scripts/pack.mjs";
import { treeOf } from "./faults/tree.ts";
import { needs, ONLY_AT_FULL_SIZE } from "./skipped.ts";

const folder = mkdtempSync(join(tmpdir(), "waymark-package-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly size: number;
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
  // Built before the tests; building again would remove files that other tests use.
  const printed = npm(
    ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
    resolve("."),
  );
  [packed] = JSON.parse(printed) as [Packed];
}, 60_000);

test("contains the program, the library entries and the examples only", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "bin/waymark.js",
      "bin/waymark-hook",
      "dist/cli.cjs",
      "dist/index.js",
      "THIRD_PARTY_LICENSES",
      "examples/README.md",
      "plugins/claude-code/README.md",
      ".agents/plugins/marketplace.json",
      ".claude-plugin/marketplace.json",
      "README.md",
      "LICENSE",
    ]),
  );
  expect(paths.filter((path) => /^(?:test|src|scripts|bench|e2e|\.ci)\//.test(path))).toEqual([]);
  expect(paths.filter((path) => /\.(?:cache|png|svg|jpe?g|gif)$/.test(path))).toEqual([
    "dist/web/favicon-you.svg",
    "dist/web/favicon.svg",
    "dist/web/icon-192.png",
    "dist/web/icon-512.png",
    "dist/web/icon-maskable-512.png",
  ]);
  // The README links to the pages in the repository; the declarations hold the comments of the API.
  expect(paths.filter((path) => path.startsWith("docs/"))).toEqual([]);
  expect(packed.size).toBeLessThan(1_385_000);
});

test("links its README to files of the package or to the repository", () => {
  const { repository } = JSON.parse(readFileSync("package.json", "utf8"));
  const paths = packed.files.map(({ path }) => path);
  const isPacked = (path: string) => paths.some((each) => `${each}/`.startsWith(`${path}/`));
  const text = packedReadme(readFileSync("README.md", "utf8"), { repository, isPacked });
  const links = [...text.matchAll(/\]\(([^)\s#]+)/g)].map(([, target = ""]) => target);
  const relative = links.filter((target) => !target.startsWith("https://"));
  expect(relative).toContain("examples/README.md");
  expect(relative.filter((target) => !isPacked(target))).toEqual([]);
  const elsewhere = links.flatMap((target) => {
    const [, path] = /^https:.*\/waymark\/(?:blob\/)?HEAD\/(.*)$/.exec(target) ?? [];
    return path ?? [];
  });
  expect(elsewhere).toEqual(
    expect.arrayContaining([
      "docs/pictures/board.svg",
      "docs/getting-started.md",
      "CONTRIBUTING.md",
    ]),
  );
  expect(elsewhere.filter((path) => !existsSync(path))).toEqual([]);
});

test("packs that README and restores the one of the checkout", () => {
  const copy = mkdtempSync(join(folder, "checkout-"));
  for (const part of ["scripts", "package.json", "examples/README.md"])
    cpSync(part, join(copy, part), { recursive: true });
  // The output of a build with types, so nothing is built.
  mkdirSync(join(copy, "dist"));
  for (const name of ["cli.cjs", "index.d.ts"]) writeFileSync(join(copy, "dist", name), "");
  const readme = "[a](examples/README.md) ![b](docs/pictures/board.svg) [c](test/README.md#x)\n";
  writeFileSync(join(copy, "README.md"), readme);
  const [{ filename }] = JSON.parse(npm(["pack", "--json"], copy)) as [Packed];
  expect(readFileSync(join(copy, "README.md"), "utf8")).toBe(readme);
  const { stdout } = spawnSync("tar", ["-xzOf", filename, "package/README.md"], {
    cwd: copy,
    encoding: "utf8",
  });
  expect(stdout).toMatch(
    /^\[a\]\(examples\/README\.md\) !\[b\]\(https:\S+\/HEAD\/docs\/pictures\/board\.svg\) \[c\]\(https:\S+\/blob\/HEAD\/test\/README\.md#x\)\n$/,
  );
});

test("is not published before its repository is known", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/pack.mjs", "publishable"], {
    encoding: "utf8",
  });
  const hasPlaceholder = readFileSync("package.json", "utf8").includes("github.com/OWNER/");
  expect(status).toBe(hasPlaceholder ? 1 : 0);
  expect(stderr).toContain(hasPlaceholder ? "CONTRIBUTING.md" : "");
});

test("has no install scripts and at most one dependency", { tags: ["dependencies"] }, () => {
  const { scripts, dependencies, optionalDependencies } = JSON.parse(
    readFileSync("package.json", "utf8"),
  );
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  expect(dependencies).toBeUndefined();
  expect(Object.keys(optionalDependencies)).toEqual(["libsql"]);
});

test("installs into an empty directory and works there as a program and as a library", () => {
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

test("builds the same bytes in two directories", {
  tags: ["dependencies"],
  ...needs(ONLY_AT_FULL_SIZE),
  timeout: 120_000,
}, () => {
  const built = ["one", "another place"].map((name) => {
    const copy = join(folder, name);
    for (const part of ["src", "scripts", "bin", "package.json", "tsconfig.json", "LICENSE"])
      cpSync(part, join(copy, part), { recursive: true });
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"), "junction");
    const build = spawnSync(process.execPath, ["scripts/build.mjs", "--no-types"], { cwd: copy });
    expect([build.status, String(build.stderr)]).toEqual([0, ""]);
    const { ...tree } = treeOf(join(copy, "dist"));
    // Compiled code is not part of the package.
    return Object.fromEntries(
      Object.entries(tree).filter(([file]) => !file.startsWith("compiled")),
    );
  });
  expect(Object.keys(built[0] ?? {}).length).toBeGreaterThan(20);
  expect(built[1]).toEqual(built[0]);
});
