// npm run test:nodes [-- 24 test/sessions]: the tests on other supported versions of Node.
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installNode, VERSIONS } from "./node-versions.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const given = process.argv.slice(2);
const asked = given.filter((word) => word in VERSIONS);
const rest = given.filter((word) => !(word in VERSIONS));

function run(command, args, env = process.env) {
  return spawnSync(command, args, { stdio: "inherit", env }).status;
}

try {
  const broken = [];
  for (const name of asked.length > 0 ? asked : Object.keys(VERSIONS)) {
    const folder = dirname(await installNode(name));
    console.log(`Node ${VERSIONS[name]}`);
    // Programs that tests start by name use this version as well.
    const env = { ...process.env, PATH: folder + delimiter + process.env.PATH };
    const args = ["node_modules/vitest/vitest.mjs", "run", ...rest];
    if (run(join(folder, "node"), args, env) !== 0) broken.push(name);
  }
  // Rebuild the compile cache for the current version.
  run(process.execPath, ["scripts/build.mjs"]);
  if (broken.length > 0) console.error(`Failed on Node ${broken.join(", ")}.`);
  process.exitCode = broken.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error.message);
  process.exitCode = 3;
}
