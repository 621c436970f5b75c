import { useState } from "preact/hooks";
import type { AgentsResponse } from "../../../core/wire.ts";
import { withoutList } from "../state/agents.ts";
import { Command } from "../ui/command.tsx";
import { Button } from "../ui/parts.tsx";

/** Local storage key: agents whose notice was dismissed. */
const STORAGE_KEY = "waymark-lists-off";

function dismissed(): readonly string[] {
  const stored = localStorage.getItem(STORAGE_KEY) ?? "";
  return stored === "" ? [] : stored.split(" ");
}

/** Names the agents whose todo list is off and the command that turns it on. Can be dismissed. */
export function ListsOff({ agents: answer }: { readonly agents: AgentsResponse | undefined }) {
  const [known, setKnown] = useState(dismissed);
  const off = withoutList(answer?.agents ?? []).filter(({ agent }) => !known.includes(agent));
  if (off.length === 0) return null;
  const dismiss = (): void => {
    const next = [...known, ...off.map(({ agent }) => agent)];
    localStorage.setItem(STORAGE_KEY, next.join(" "));
    setKnown(next);
  };
  return (
    <section class="lists-off" aria-label="Agents whose todo list is off">
      <p>
        {off.length === 1 ? "Todo list" : "Todo lists"} off: {named(off.map(({ name }) => name))}.
        To turn {off.length === 1 ? "it" : "them"} on, run
        {answer?.folder !== undefined && ` in ${answer.folder}`}
      </p>
      {off.map(({ agent, command }) => (
        <Command key={agent}>{command}</Command>
      ))}
      <Button look="ghost" label="Dismiss: agents whose todo list is off" onClick={dismiss}>
        Dismiss
      </Button>
    </section>
  );
}

/** `A`, `A and B`, `A, B and C`. */
function named(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
