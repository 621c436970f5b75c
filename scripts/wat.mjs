// Compiles src/sessions/transcripts/scan/sieve.wat into the module that the program contains;
// --check only verifies that it is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import wabt from "wabt";

const source = fileURLToPath(
  new URL("../src/sessions/transcripts/scan/sieve.wat", import.meta.url),
);
const target = fileURLToPath(
  new URL("../src/sessions/transcripts/scan/sieve-code.ts", import.meta.url),
);

const { parseWat } = await wabt();
const { buffer } = parseWat("sieve.wat", readFileSync(source, "utf8"), { simd: true }).toBinary({});
const lines = Buffer.from(buffer)
  .toString("base64")
  .match(/.{1,90}/g);
const code = `/** \`sieve.wat\`, assembled by \`scripts/wat.mjs\`. */
export const SIEVE_CODE =
${lines.map((line) => `  "${line}"`).join(" +\n")};
`;

if (!process.argv.includes("--check")) writeFileSync(target, code);
else if (readFileSync(target, "utf8") !== code) {
  console.error(
    "src/sessions/transcripts/scan/sieve-code.ts is not what sieve.wat says. Run: node scripts/wat.mjs",
  );
  process.exitCode = 1;
}
