import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manPage, roff } from "../../scripts/man.mjs";
import { loadCommands } from "../../scripts/reference-cli.mjs";
import { defaultCommand } from "../../src/cli/commands/default.ts";
import { walkCommands } from "../../src/cli/commands/index.ts";
import { needs } from "../skipped.ts";

const has = (program: string) => spawnSync(program, ["--version"]).error === undefined;
const NO_GROFF = has("groff") ? "" : "no groff";
const NO_MANDOC = spawnSync("mandoc", ["-T", "lint", "/dev/null"]).error ? "no mandoc" : "";

let root: string;
let file: string;
let page: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "waymark-man-"));
  file = join(root, "waymark.1");
  page = manPage(await loadCommands("."), "1.2.3");
  writeFileSync(file, page);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The text as a terminal shows it. */
function rendered(path: string): string {
  const { stdout, stderr, status } = spawnSync(
    "groff",
    ["-ww", "-man", "-Tutf8", "-P-cbou", "-rLL=2000n", path],
    { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("the manual page", () => {
  test("has every command and option", needs(NO_GROFF), async () => {
    const text = rendered(file).replace(/\s+/g, " ");
    for (const { path, command } of await walkCommands()) {
      expect(text).toContain(`waymark ${path.join(" ")}`);
      for (const name of Object.keys(command?.options ?? {})) expect(text).toContain(`--${name}`);
    }
    for (const name of Object.keys(defaultCommand.options)) expect(text).toContain(`--${name}`);
  });

  test("shows hostile text as it is", needs(NO_GROFF), () => {
    const texts = [
      ".so /etc/passwd",
      "'br",
      "a\\fBb\\n(xx",
      "-x --y",
      '"q" `t` ^h ~u',
      "\u00e9 \u4e2d \u{1f600}",
      "\\*[x]",
      "a\n.ig",
    ];
    writeFileSync(
      join(root, "hostile.1"),
      `.TH X 1\n${texts.map((each) => `.PP\n${roff(each)}`).join("\n")}\n`,
    );
    const shown = rendered(join(root, "hostile.1"));
    for (const each of texts) expect(shown).toContain(each.replace("\n", " "));
  });

  test("has no mistake that mandoc finds", needs(NO_MANDOC), () => {
    const { stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "error", file], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});
