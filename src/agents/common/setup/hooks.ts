import type { Occasion } from "./agent.ts";
import { hookCommand } from "./commands.ts";
import type { Wish } from "./wish.ts";

/** A command for each event, in the form that agents have from one another; some want it to have a name. */
export function hookWishes(
  agent: string,
  events: readonly string[],
  occasion: Occasion,
  named: { readonly name?: string } = {},
): readonly Wish[] {
  const { program, machine } = occasion;
  return events.map((event) => {
    const command = hookCommand(agent, event, program, machine.platform, occasion);
    const hook = { type: "command", ...named, command };
    return { kind: "hook", path: ["hooks", event], value: { hooks: [hook] } };
  });
}
