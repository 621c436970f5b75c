// Checks that every regular expression in src takes linear time, or has bounded input. `recheck` takes minutes, so its verdicts are
// kept in regexes.json: hashes of the safe ones, and the others with the reason why they stay. `--judge` asks it about new ones.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { exactPackages, installPackages } from "./install-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = join(root, "scripts/regexes.json");
const { safe, accepted } = JSON.parse(readFileSync(file, "utf8"));
const hashOf = (pattern) => createHash("sha256").update(pattern).digest("hex").slice(0, 10);

/** The literals by pattern, with the places of each. */
function literals() {
  const found = new Map();
  for (const path of readdirSync(join(root, "src"), { recursive: true })) {
    if (!/\.tsx?$/.test(path)) continue;
    const text = readFileSync(join(root, "src", path), "utf8");
    const visit = (node) => {
      if (node?.type === "Literal" && node.regex) {
        const pattern = `/${node.regex.pattern}/${node.regex.flags}`;
        const line = text.slice(0, node.start).split("\n").length;
        found.set(pattern, [...(found.get(pattern) ?? []), `src/${path}:${line}`]);
      }
      for (const value of Object.values(node ?? {})) if (typeof value === "object") visit(value);
    };
    visit(parseSync(path, text).program);
  }
  return found;
}

/** Asks recheck about patterns; returns the ones that are not safe, each with an input that shows it. */
async function judge(patterns) {
  const place = await installPackages("recheck", exactPackages({ recheck: "4.5.0" }));
  process.env.RECHECK_BACKEND = "pure";
  const { check } = createRequire(join(place, "package.json"))("recheck");
  const suspicious = [];
  for (const pattern of patterns) {
    const [, source, flags] = /^\/(.*)\/(\w*)$/s.exec(pattern);
    const { status, complexity, attack } = await check(source, flags, { timeout: 10_000 });
    if (status === "safe") safe.push(hashOf(pattern));
    else
      suspicious.push([
        pattern,
        `${complexity?.summary ?? status}; ${attack?.pattern ?? "no attack found"}`,
      ]);
  }
  return suspicious;
}

const found = literals();
const known = new Set(safe);
const unjudged = [...found.keys()].filter(
  (pattern) => !known.has(hashOf(pattern)) && !Object.hasOwn(accepted, pattern),
);
const gone = Object.keys(accepted).filter((pattern) => !found.has(pattern));
const isJudging = process.argv.includes("--judge");
const problems = isJudging
  ? await judge(unjudged)
  : unjudged.map((pattern) => [pattern, "not judged; run npm run check:regex"]);
if (isJudging) {
  const used = new Set([...found.keys()].map(hashOf));
  const content = { safe: safe.filter((hash) => used.has(hash)).sort(), accepted };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
for (const [pattern, why] of problems)
  console.error(`${found.get(pattern)[0]}: ${pattern}: ${why}`);
for (const pattern of gone)
  console.error(`scripts/regexes.json: ${pattern} is no longer in src; remove it from "accepted"`);
if (isJudging && problems.length > 0)
  console.error(
    'Change these expressions, or add them to "accepted" in scripts/regexes.json with the reason why their input is bounded.',
  );
console.log(
  `regexes: ${found.size} expressions, ${Object.keys(accepted).length} accepted, ${problems.length + gone.length} problems`,
);
process.exitCode = problems.length + gone.length === 0 ? 0 : 1;
