import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { PROGRAM } from "../cli/machine.ts";
import { writeTeam } from "./team.ts";

/** Result of running one command. */
export interface Ran {
  readonly status: number;
  readonly output: string;
}

/** A computer for one page of the documentation, as its reader might have it. */
export interface DocsMachine {
  /** Runs commands one after the other in one shell. */
  run(commands: readonly string[]): readonly Ran[];
  remove(): void;
}

/** The versions and recorded streams of the agents that commands of the documentation start. */
const AGENTS: Readonly<Record<string, { version: string; stream: string }>> = {
  claude: { version: "2.1.325 (Claude Code)", stream: "claude-code/todo-write/stream-2.1.jsonl" },
  codex: { version: "codex-cli 0.166.0", stream: "codex/exec/simple.jsonl" },
  gemini: { version: "0.61.0", stream: "gemini/0.61/stream-native.jsonl" },
  opencode: { version: "1.18.33", stream: "opencode/1.18/run.jsonl" },
  qwen: { version: "0.15.10", stream: "qwen/0.24/stream.jsonl" },
};

const USER = "ann";
/** Installation directory of the package as the pages show it. */
const INSTALLED = "/usr/lib/node_modules/waymark";
/** Commands that only Ctrl+C ends. */
const ENDLESS = "'serve '*|'watch '*|'relay '|'task watch '*|*' --follow '*";

/** A home directory with a project `shop`, the program and recorded agents in the path. */
export async function newDocsMachine({
  hasTeam = false,
  hasUsage = false,
  replaced = {},
}: {
  /** Whether agents of the demo have been at work. */
  readonly hasTeam?: boolean;
  /** Whether their session files record tokens. */
  readonly hasUsage?: boolean;
  /** Real values by their placeholder on the page, such as the address of a server. */
  readonly replaced?: Readonly<Record<string, string>>;
} = {}): Promise<DocsMachine> {
  const root = mkdtempSync(join(tmpdir(), "waymark-docs-"));
  const home = join(root, "home", USER);
  const project = join(home, "shop");
  const bin = join(root, "usr/local/bin");
  const results = join(root, "results");
  for (const dir of [project, bin, results]) mkdirSync(dir, { recursive: true });
  const program = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const waymark = `"${process.execPath}" "${PROGRAM}" "$@"`;
  program(
    "waymark",
    `case "$* " in
${ENDLESS}) timeout -s INT 4 ${waymark}; status=$?; [ $status = 124 ] || exit $status ;;
*) exec ${waymark} ;;
esac`,
  );
  program("xdg-open", "exit 0");
  program("notify-send", "exit 0");
  symlinkSync(resolve("examples"), join(project, "examples"));
  for (const [name, { version, stream }] of Object.entries(AGENTS)) {
    const file = resolve("test/fixtures", stream);
    if (!existsSync(file)) throw new Error(`${file} is missing`);
    program(name, `[ "$1" = --version ] && echo '${version}' && exit\nexec cat '${file}'`);
  }
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
    HOME: home,
    USER,
    LANG: "C.UTF-8",
    TZ: "UTC",
    COLUMNS: "92",
    EDITOR: "true",
  };
  if (hasTeam) await writeTeam(home, join(home, ".local/share/waymark"), hasUsage);

  const real = (text: string) =>
    Object.entries(replaced).reduce((result, [from, to]) => result.replaceAll(from, to), text);
  const asShown = (text: string) =>
    Object.entries(replaced)
      .reduce((result, [from, to]) => result.replaceAll(to, from), text)
      .replaceAll(root, "")
      .replaceAll(resolve("."), INSTALLED)
      .replaceAll(process.execPath, "/usr/bin/node");

  return {
    run(commands) {
      const steps = commands.map(
        (command, n) =>
          `{ ${real(command)}\n} >'${results}/${n}' 2>&1 </dev/null; echo $? >'${results}/${n}.status'`,
      );
      const { error } = spawnSync("bash", ["-c", steps.join("\n")], {
        cwd: project,
        env,
        encoding: "utf8",
        timeout: 300_000,
      });
      if (error) throw error;
      const read = (name: string) => {
        const file = join(results, name);
        return existsSync(file) ? readFileSync(file, "utf8") : "";
      };
      return commands.map((_, n) => ({
        status: Number(read(`${n}.status`) || Number.NaN),
        output: asShown(read(String(n))).trimEnd(),
      }));
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
