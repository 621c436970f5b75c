import { NoAnswer } from "../../core/error.ts";
import { MAIN } from "../../core/views/merged.ts";
import { machineOfSession } from "../../core/views/relayed.ts";
import type { Context } from "../../home/open.ts";
import { sharedStore } from "../../home/shared-store.ts";
import { isMeantBy } from "../find.ts";
import { type ReadList, relayedList } from "../read-list.ts";
import { pastElsewhere, readOthers } from "./machines.ts";

/** The list that `SESSION@MACHINE` means; of the session the beginning will do. */
export async function listElsewhere(
  call: Pick<Context, "home" | "terminal" | "env">,
  name: string,
  agent = MAIN,
): Promise<ReadList> {
  const store = sharedStore(undefined, call.env);
  if (store === undefined)
    throw new NoAnswer(
      `"${name}" is of another machine. Set WAYMARK_STORE to the server that it relays to.`,
    );
  const { session = "", machine = "" } = machineOfSession(name) ?? {};
  const all = (await readOthers(call, store, Date.now())).filter(
    (each) => each.machine === machine && isMeantBy(each.relayed?.live.session ?? "", session),
  );
  const sessions = [...new Set(all.map(({ track }) => track.session))];
  if (sessions.length > 1)
    throw new NoAnswer(
      `"${name}" is the beginning of ${sessions.length} sessions. Give more of it.`,
    );
  const found =
    all.find(({ track }) => track.agent === agent) ?? (agent === MAIN ? all[0] : undefined);
  if (!found?.relayed)
    throw new NoAnswer(
      `Nothing is known of session ${session} on ${machine}. waymark ls shows what is.`,
    );
  const { row } = found.relayed;
  return relayedList(found, all, () => pastElsewhere(store, row));
}
