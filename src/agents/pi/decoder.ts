import type { Decoder } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import {
  isPiEntry,
  PI_USAGE,
  type PiLists,
  type PiState,
  readPi,
  startPi,
  wantedPi,
} from "../common/pi-entries.ts";
import { fields, type ItemShape, items, list, text } from "../common/values.ts";
import { identity } from "./identity.ts";

const ITEM: ItemShape = { text: ["text"], status: ["done"], id: ["id"] };

/** The `todo` tool of the example extension. A refused call has no flag, but an error beside the unchanged list. */
const lists: PiLists = {
  tools: ["todo"],
  result({ failed, details, output }, todoId, context, emit) {
    const refused = text(details?.error);
    if (failed || refused !== undefined) {
      const message = shorten(refused ?? output ?? "the write failed", 200);
      emit({ type: "warning", code: "list_rejected", message }, context);
      return;
    }
    const todos = list(details?.todos);
    if (!todos || details?.action === "list") return;
    const found = items(todos, ITEM, (body) => emit(body, { ...context, key: undefined }));
    emit({ type: "todo_list", todoId, items: found }, context);
  },
};

/** Fields that agents built on pi add. */
const OF_FORKS = ["attribution", "intent", "duration"];

/** pi has no list of its own: without the extension, its sessions have only activity. */
export const pi: Decoder<PiState> = {
  ...identity,
  needles: ['"todo"'],
  pendingNeedles: (state) => wantedPi(state, lists),
  usage: PI_USAGE,
  score: (record) => {
    const entry = fields(record);
    const message = fields(entry?.message) ?? entry;
    const details = fields((fields(entry?.result) ?? message)?.details);
    if (message?.toolName === "todo" && list(details?.todos) && details?.nextId !== undefined)
      return 2;
    return isPiEntry(record) && !OF_FORKS.some((name) => name in { ...entry, ...message }) ? 1 : 0;
  },
  start: startPi,
  read: (state, record, emit) => readPi(state, record, lists, emit),
  locations: ({ home, env, join }) => [
    {
      root: env.PI_CODING_AGENT_SESSION_DIR || join(home, ".pi", "agent", "sessions"),
      depth: 1,
      kind: "file",
      accept: (path) => {
        const [, session] = /^[^_]+_(.+)\.jsonl$/.exec(path.at(-1) ?? "") ?? [];
        return session === undefined ? undefined : { session };
      },
    },
  ],
};
