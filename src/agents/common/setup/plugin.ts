import type { OwnedFile, SetupRequest } from "./agent.ts";
import { hookCommand } from "./commands.ts";
import { RUNNER } from "./plugin-runner.ts";

/** A plugin for agents that load code instead of running hook commands. */
export interface Plugin {
  readonly agent: string;
  /** The code after `run`, which runs the command of an event. */
  readonly body: string;
  readonly events: readonly string[];
}

/**
 * The file of a plugin. It runs the same commands as the hooks of other agents, with the same JSON, and applies their
 * answers. Errors in it never reach the agent.
 */
export function pluginFile(plugin: Plugin, path: string, request: SetupRequest): OwnedFile {
  const { program, machine } = request;
  const commands = plugin.events.map((event) => [
    event,
    hookCommand(plugin.agent, event, program, machine.platform, request),
  ]);
  return {
    format: "own",
    path,
    content: pluginText(plugin, Object.fromEntries(commands)),
    marker: markOf(plugin),
    isUnchanged: (text) => isPluginText(plugin, text),
  };
}

function markOf({ agent }: Plugin): string {
  return `// Written by \`waymark setup ${agent}\`; \`--remove\` takes it away.`;
}

export function pluginText(plugin: Plugin, commands: Readonly<Record<string, string>>): string {
  const runner = RUNNER.replace("COMMANDS", () => JSON.stringify(commands, null, 2));
  return `${markOf(plugin)}\n${runner}${plugin.body}`;
}

/** Whether a text is the unmodified plugin of this version, for any installation of Waymark. */
function isPluginText(plugin: Plugin, text: string): boolean {
  const [, commands = ""] = /^const commands = (\{\n(?: {2}".*\n)*\});$/m.exec(text) ?? [];
  try {
    return text === pluginText(plugin, JSON.parse(commands));
  } catch {
    // The commands were edited.
    return false;
  }
}
