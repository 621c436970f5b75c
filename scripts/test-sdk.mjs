// npm run test:sdk: tests the SDKs that are too heavy for `npm test` from the download cache. The tests and the examples
// run beside the SDKs, with this package as a user has it: built, under its own name. With --latest, the versions that are
// current in the registry take the place of the pinned ones.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exactPackages, installPackages } from "./install-packages.mjs";
import { installNode } from "./node-versions.mjs";
import { snippetsIn } from "./snippets.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const heavy = join(root, "test", "sdk-heavy");

const { dependencies: pinned } = JSON.parse(readFileSync(join(heavy, "package.json"), "utf8"));
let place;
try {
  const dependencies = process.argv.includes("--latest") ? currentOf(pinned) : pinned;
  place = await installPackages("sdk-heavy", exactPackages(dependencies));
} catch (error) {
  console.error(error.message);
  process.exit(3);
}

run("build", ["scripts/build.mjs"], root);

const beside = join(place, "waymark-tests");
rmSync(beside, { recursive: true, force: true });
mkdirSync(beside);
cpSync(heavy, join(beside, "sdk-heavy"), { recursive: true });
cpSync(join(root, "test", "servers", "sdk"), join(beside, "servers", "sdk"), {
  recursive: true,
  filter: (file) => !file.endsWith(".test.ts"),
});
cpSync(join(root, "examples"), join(beside, "examples"), { recursive: true });
link(root, "waymark");
const snippets = heavySnippets();
for (const [name, program] of snippets) writeFileSync(join(beside, name), program);
for (const name of ["vitest", "typescript"]) link(join(root, "node_modules", name), name);
writeFileSync(
  join(beside, "tsconfig.json"),
  JSON.stringify({
    compilerOptions: {
      target: "es2023",
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    },
    files: ["sdk-heavy/types.ts", ...snippets.keys()],
  }),
);

const modules = join(root, "node_modules");
run("types", [join(modules, "typescript", "bin", "tsc"), "-p", beside], beside);
run(
  "tests",
  [join(modules, "vitest", "vitest.mjs"), "run", "--root", beside, "--testTimeout", "60000"],
  beside,
  await newEnoughNode(),
);

/** Some of the SDKs need Node 22. */
async function newEnoughNode() {
  const [major] = process.versions.node.split(".").map(Number);
  if (major >= 22) return process.execPath;
  console.log(
    `\nNode ${process.versions.node} is too old for some SDKs: the tests run on Node 22.`,
  );
  try {
    return await installNode(22);
  } catch (error) {
    console.error(error.message);
    process.exit(3);
  }
}

/** The versions that `npm install` would choose today. */
function currentOf(versions) {
  const current = Object.keys(versions).map((name) => {
    const { status, stdout, stderr } = spawnSync("npm", ["view", name, "version"], {
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    const version = stdout?.trim();
    if (status !== 0 || !version) throw new Error(`npm view ${name} failed: ${stderr}`);
    console.log(`${name} ${version}${version === versions[name] ? "" : `, was ${versions[name]}`}`);
    return [name, version];
  });
  return Object.fromEntries(current);
}

/** The snippets of the guides for these SDKs, by their file names. */
function heavySnippets() {
  const folder = join(root, "docs/guides/build-an-agent");
  const found = readdirSync(folder).flatMap((file) =>
    snippetsIn(file, readFileSync(join(folder, file), "utf8")).filter(({ isHeavy }) => isHeavy),
  );
  return new Map(
    found.map(({ name, program }, n) => [`snippet-${n}-${name.replace(/\W+/g, "-")}.ts`, program]),
  );
}

function link(target, name) {
  const file = join(place, "node_modules", name);
  rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file, "junction");
}

function run(what, args, cwd, node = process.execPath) {
  console.log(`\n${what}: ${args.at(0).split(/[\\/]/).at(-1)}`);
  const { status } = spawnSync(node, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
