// Says which session it finds, as a server that an agent started would.
import { resolveSession } from "../../src/sessions/caller/session.ts";

const [home = ""] = process.argv.slice(2);
const caller = { env: {}, cwd: process.cwd(), pid: process.pid, home };
const { session, agentType } = resolveSession(caller);
process.stdout.write(`${session} ${agentType}`);
