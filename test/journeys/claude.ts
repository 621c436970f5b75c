import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Machine } from "../cli/machine.ts";
import { type Served, serveProgram } from "../servers/mcp/clients.ts";

/**
 * Claude Code after setup: it runs the commands of its settings at its own events and talks to the
 * configured MCP server.
 */
export interface Claude {
  readonly session: string;
  /** Sends an event; returns the text that its hooks add for the model. */
  tell(event: string, input?: object): string;
  /**
   * A call of one of its own tools, with both events; returns the text that the model reads beside
   * the result.
   */
  use(tool: string, input: object, response?: object): string;
  /** A call of a Waymark tool; returns the text that the model reads. */
  call(input: object, tool?: string): Promise<string>;
  end(): Promise<void>;
}

interface Settings {
  readonly hooks: Readonly<
    Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>
  >;
}

export async function startClaude(machine: Machine, session: string): Promise<Claude> {
  const setUp = machine.run(["setup", "claude", "--yes"]);
  if (setUp.status !== 0) throw new Error(setUp.stderr);
  const settings = JSON.parse(
    readFileSync(join(machine.root, ".claude", "settings.json"), "utf8"),
  ) as Settings;
  const path = [join(machine.root, "bin"), process.env.PATH].join(delimiter);
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home, PATH: path };
  let server: Served | undefined;
  let calls = 0;

  const tell: Claude["tell"] = (event, input = {}) => {
    const json = JSON.stringify({ session_id: session, cwd: machine.cwd, ...input });
    const commands = (settings.hooks[event] ?? []).flatMap(({ hooks }) => hooks);
    const answers = commands.map(({ command }) => {
      const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
        input: json,
        env: { ...env, CLAUDE_CODE_SESSION_ID: session },
        cwd: machine.cwd,
        encoding: "utf8",
      });
      if (status !== 0 || stderr !== "") throw new Error(`${event}: ${status} ${stderr}`);
      if (stdout.trim() === "") return "";
      const { hookSpecificOutput, reason } = JSON.parse(stdout);
      return (hookSpecificOutput?.additionalContext ?? reason ?? "") as string;
    });
    return answers.join("");
  };

  return {
    session,
    tell,
    use(tool, input, response = {}) {
      const call = { tool_name: tool, tool_use_id: `toolu_${++calls}`, tool_input: input };
      return tell("PreToolUse", call) + tell("PostToolUse", { ...call, tool_response: response });
    },
    async call(input, tool = "todos") {
      if (!server) {
        server = serveProgram(["--tools", "todos,plan"], {
          home: machine.root,
          cwd: machine.cwd,
          env: { ...env, CLAUDE_CODE_SESSION_ID: session, CLAUDECODE: "1" },
        });
        await server.client.initialize("2025-06-18", "claude-code");
      }
      return (await server.client.call(input, tool)).text;
    },
    async end() {
      server?.client.end();
      await server?.ended;
    },
  };
}
