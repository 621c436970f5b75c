// npm run test:nodes [-- 24 test/follow]: the tests on the other versions of Node that people have.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bring } from "./bring.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const VERSIONS = { 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" };

const given = process.argv.slice(2);
const asked = given.filter((word) => word in VERSIONS);
const rest = given.filter((word) => !(word in VERSIONS));
const system = process.platform === "win32" ? "win" : process.platform;
const packages = Object.entries(VERSIONS).map(([name, version]) => [
  `node-${name}`,
  `npm:node-${system}-${process.arch}@${version}`,
]);

function run(command, args, env = process.env) {
  return spawnSync(command, args, { stdio: "inherit", env }).status;
}

try {
  const place = bring("nodes", Object.fromEntries(packages));
  const broken = (asked.length > 0 ? asked : Object.keys(VERSIONS)).filter((name) => {
    console.log(`Node ${VERSIONS[name]}`);
    const folder = join(place, "node_modules", `node-${name}`, "bin");
    // What the tests start by name is this version as well.
    const env = { ...process.env, PATH: folder + delimiter + process.env.PATH };
    const args = ["node_modules/vitest/vitest.mjs", "run", ...rest];
    return run(join(folder, "node"), args, env) !== 0;
  });
  // What is kept compiled is that of the version at hand again.
  run(process.execPath, ["scripts/build.mjs"]);
  if (broken.length > 0) console.error(`Failed on Node ${broken.join(", ")}.`);
  process.exitCode = broken.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error.message);
  process.exitCode = 3;
}
