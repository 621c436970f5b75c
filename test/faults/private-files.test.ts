import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMachine } from "../cli/machine.ts";
import { FULL } from "../full.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";

/** Every way of writing to the home. */
const SCRIPT = [
  'waymark todo add "a secret" --session s',
  'waymark todo note 1 "another secret" --session s',
  "waymark plan propose - --session p < plan.md",
  'waymark task add "a third secret" --as ann',
  "waymark task claim t1 --as ann",
  "waymark ls --all",
  "waymark doctor",
  `printf '%s' '{"session_id":"s","source":"startup"}' | waymark hook claude SessionStart`,
  `printf '%s' '{"session_id":"s","tool_name":"Bash","tool_use_id":"c","tool_input":{}}' | waymark hook claude PreToolUse`,
  "printf '%s' 'no JSON' | waymark hook claude Stop",
  `printf '%s' '{"session_id":"s"}' | sh "$HOOK" waymark hook claude PreToolUse`,
  `printf '%s' '{"todos":[{"text":"x"}]}' | waymark tool todos --session t`,
  "waymark todo add \"$(printf 'bad\\033')\" --session s",
  "waymark serve --port 0 --no-open --json > served & while [ ! -s served ] && kill -0 $!; do sleep 0.05; done; kill -INT $!; wait",
  "true",
].join("\n");

test.each(FULL ? ["000", "022", "077", "027"] : ["000"])(
  "stores files that only their owner can read, umask %s",
  { tags: ["secret-leak"], ...needs(NOT_ON_WINDOWS), timeout: 60_000 },
  (umask) => {
    const machine = newMachine();
    onTestFinished(() => machine.remove());
    const hook = join(process.cwd(), "bin", "waymark-hook");
    const { status } = machine.bash(
      `umask ${umask}; printf '1. one\\n2. two\\n' > plan.md\n${SCRIPT}`,
      {
        env: { HOOK: hook, WAYMARK_NOTIFY: "bell" },
      },
    );
    expect(status).toBe(0);
    const names = readdirSync(machine.home, { recursive: true, encoding: "utf8" });
    const open = [".", ...names].flatMap((name) => {
      const stats = lstatSync(join(machine.home, name));
      const mode = (stats.mode & 0o777).toString(8);
      return mode === (stats.isDirectory() ? "700" : "600") ? [] : [`${mode} ${name}`];
    });
    expect(open).toEqual([]);
    expect(names.map((name) => name.split("/")[0])).toEqual(
      expect.arrayContaining(["waymark.db", "todos", "status.json", "hook.log", "serve-token"]),
    );
  },
);
