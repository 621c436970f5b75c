import { UsageError } from "../../core/error.ts";
import { counted } from "../../core/text/count.ts";
import { redactUrl } from "../../core/text/redact.ts";
import { catchInterrupts } from "../../home/interrupts.ts";
import { loadOrCreateMachineId, machineName } from "../../home/machine-id.ts";
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
    summary: "Name of this machine for others",
    default: "the host name",
  },
  once: { type: "boolean", summary: "Send the current state and exit", perCall: true },
  json: { type: "boolean", summary: "Print what was sent as JSON lines", perCall: true },
} as const satisfies Options;

type RelayCall = Call<typeof options>;

export const relay = defineCommand({
  arguments: [],
  options,
  notes: [
    "Sends what a board shows: lists with their history, plans, titles and the beginning of prompts, working directories, and a label for each running call, e.g. `npm test`. It never sends the inputs or outputs of tools, or the text of conversations.",
    "Runs until Ctrl+C and sends changes as they happen. If the server is unreachable, it retries and resumes without losing or repeating changes. A machine has one relay at a time; a second one waits for the first to end. Other machines can read a relayed list but not change it.",
  ],
  examples: [
    {
      command: "waymark relay --store postgres://me@db/team",
      comment: "Share the sessions of this machine",
    },
    {
      command: "waymark relay --once --json",
      comment: "Send once, to the server in WAYMARK_STORE",
    },
  ],
  seeAlso: ["ls", "serve"],
  run,
});

async function run(call: RelayCall): Promise<Exit> {
  const { values, terminal, home, env } = call;
  const { once = false, json = false } = values;
  const store = sharedStore(values.store, env);
  if (store === undefined)
    throw new UsageError(
      "Missing a server. Pass --store postgres://user@host/database, or set WAYMARK_STORE.",
    );
  const machine = { id: loadOrCreateMachineId(home.path), name: machineName(values.name) };
  const sum = { tracks: 0, events: 0 };
  let last = "";
  let name = machine.name;
  let isWaiting = false;
  let end: () => void = () => undefined;
  const interrupts = catchInterrupts(() => end());
  const relaying = await openRelaying(call, {
    store,
    machine,
    once,
    onConnected(given) {
      name = given;
      if (isWaiting) terminal.printError("waymark: Connected again");
      else if (!once)
        terminal.printError(
          `waymark: Relaying as ${given} to ${redactUrl(store)}. Press Ctrl+C to stop.`,
        );
      isWaiting = false;
      last = "";
    },
    onSent(sent) {
      sum.tracks += sent.tracks;
      sum.events += sent.events;
      if (json && !once) terminal.print(JSON.stringify({ ...sent, at: new Date().toISOString() }));
    },
    onWaiting(reason, waiting) {
      isWaiting = true;
      const what =
        waiting === 0 ? "" : ` ${counted(waiting, "session is", "sessions are")} pending.`;
      if (reason !== last) terminal.printError(`waymark: ${reason}${what} Retrying.`);
      last = reason;
    },
  });
  end = relaying.end;
  if (interrupts.signal) end();
  await relaying.ended;
  if (once && json) terminal.print(JSON.stringify({ machine: name, ...sum }));
  else if (!json)
    terminal.printError(
      `waymark: Sent ${counted(sum.tracks, "session")} and ${counted(sum.events, "event")} as ${name}`,
    );
  interrupts.release();
  return isWaiting ? EXIT.environment : EXIT.success;
}
