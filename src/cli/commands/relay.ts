import { UsageError } from "../../core/error.ts";
import { redactUrl } from "../../core/text/redact.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { keptMachineId, machineName } from "../../home/machine-id.ts";
import { sharedStore } from "../../home/shared-store.ts";
import { openRelaying } from "../../sessions/remote/relaying.ts";
import { type Call, defineCommand, type Options } from "../args/command.ts";
import { EXIT, type Exit } from "../io/exit.ts";
import { STORE_OPTION } from "../options/shared-store.ts";

const options = {
  ...STORE_OPTION,
  name: {
    type: "string",
    value: "NAME",
    summary: "What others see this machine called; else the name of the host",
  },
  once: { type: "boolean", summary: "Send what there is now and end" },
  json: { type: "boolean", summary: "Print a line of JSON for everything that was sent" },
} as const satisfies Options;

type RelayCall = Call<typeof options>;

export const relay = defineCommand({
  arguments: [],
  options,
  notes: [
    "Sent is what a board shows: lists with their history, plans, titles and the first words of what was asked for, working directories, and what each agent is doing by the label of its call (such as `npm test`). Never sent are the inputs and outputs of tools and what was said in a conversation.",
    "It runs until Ctrl+C and sends what changed. While the server is away it waits and says so; it then goes on where the server is, nothing lost and nothing twice. A machine has one relay at a time: a second one waits until the first ends. A relayed list can be looked at everywhere and changed on its own machine only.",
  ],
  examples: [
    {
      command: "waymark relay --store postgres://me@db/team",
      says: "Show this machine to the team",
    },
    { command: "waymark relay --once --json", says: "One pass, on WAYMARK_STORE" },
  ],
  run,
});

async function run(call: RelayCall): Promise<Exit> {
  const { values, terminal, home, env } = call;
  const { once = false, json = false } = values;
  const store = sharedStore(values.store, env);
  if (store === undefined)
    throw new UsageError(
      "No server is named. Give --store postgres://user@host/database, or set WAYMARK_STORE.",
    );
  const machine = { id: keptMachineId(home.path), name: machineName(values.name) };
  const sum = { tracks: 0, events: 0 };
  let last = "";
  let name = machine.name;
  let waited = false;
  let end: () => void = () => undefined;
  const interrupts = catchInterrupts(() => end());
  const relaying = await openRelaying(call, {
    store,
    machine,
    once,
    onLine(given) {
      name = given;
      if (waited) terminal.say("waymark: the server is back");
      else if (!once)
        terminal.say(`waymark: relaying as ${given} to ${redactUrl(store)}; Ctrl+C ends it`);
      waited = false;
      last = "";
    },
    onSent(sent) {
      sum.tracks += sent.tracks;
      sum.events += sent.events;
      if (json && !once) terminal.print(JSON.stringify({ ...sent, at: new Date().toISOString() }));
    },
    onWaiting(reason, waiting) {
      waited = true;
      const what =
        waiting === 0 ? "" : ` ${waiting} ${waiting === 1 ? "track waits" : "tracks wait"}.`;
      if (reason !== last) terminal.say(`waymark: ${reason}${what} Trying again.`);
      last = reason;
    },
  });
  end = relaying.end;
  if (interrupts.signal) end();
  await relaying.ended;
  if (once && json) terminal.print(JSON.stringify({ machine: name, ...sum }));
  else if (!json)
    terminal.say(`waymark: sent ${sum.tracks} tracks, ${sum.events} events, as ${name}`);
  interrupts.release();
  return waited ? EXIT.environment : EXIT.fine;
}
