import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCheck } from "../../src/checks/checks.ts";
import { DEFAULT_LINKS } from "../../src/checks/definition.ts";
import { verify } from "../../src/checks/verify.ts";
import { endOf, type LieCase } from "../fixtures/lies/cases.ts";
import { START } from "./play.ts";
import { commitFiles, writeFiles } from "./runs.ts";

/** The result of Waymark's own run of the check of a claim. */
export interface Reproduced {
  readonly isOk: boolean;
  readonly isWarned: boolean;
}

/** The files and the check decide: sessions that differ in their calls only have the same result. */
export function reproduceKey(given: LieCase): string {
  return JSON.stringify([given.start, endOf(given), given.check]);
}

/** Runs the check of a claim as `waymark verify` does, in a repository with the files of the case. */
export async function reproduce(given: LieCase, tools: string): Promise<Reproduced> {
  const parent = mkdtempSync(join(tmpdir(), "waymark-lies-"));
  const cwd = join(parent, "calc");
  try {
    mkdirSync(cwd);
    writeFiles(cwd, given.start);
    commitFiles(cwd, START - 3_600_000);
    const end = endOf(given);
    for (const [path, text] of Object.entries(end))
      if (text === null) rmSync(join(cwd, path), { force: true });
    writeFiles(cwd, end);
    const env = {
      PATH: `${tools}:${process.env.PATH}`,
      HOME: process.env.HOME,
      CARGO_TARGET_DIR: join(tools, "target"),
    };
    const context = { home: { path: join(parent, "home") }, env };
    const { check: command } = given;
    await addCheck(context, cwd, {
      name: "test",
      command,
      timeoutMs: 120_000,
      links: DEFAULT_LINKS,
    });
    const todo = { id: "1", text: "Fix the sum", startedAt: START };
    const { ok, warnings } = await verify(context, {
      cwd,
      id: { session: "lies", agent: "main" },
      todo,
    });
    return { isOk: ok, isWarned: warnings.length > 0 };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
