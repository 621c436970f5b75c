import type { SetupRequest } from "./agent.ts";
import { hookCommand } from "./commands.ts";
import type { ConfigItem } from "./config-item.ts";

/** One command hook per event, in the format that most agents share. Some agents require a name. */
export function hookItems(
  agent: string,
  events: readonly string[],
  request: SetupRequest,
  named: { readonly name?: string } = {},
): readonly ConfigItem[] {
  const { program, machine } = request;
  return events.map((event) => {
    const command = hookCommand(agent, event, program, machine.platform, request);
    const hook = { type: "command", ...named, command };
    return { kind: "hook", path: ["hooks", event], value: { hooks: [hook] } };
  });
}
