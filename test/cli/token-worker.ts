// Creates the tokens of many homes, each at the same moment as other processes.
import { join } from "node:path";
import { loadOrCreateToken } from "../../src/home/server.ts";

export interface TokenOrders {
  readonly home: string;
  readonly homes: number;
  /** When the first token is created, in milliseconds since 1970. */
  readonly begin: number;
  /** Process id of all of them, as in containers that share the homes. */
  readonly pid?: number;
}

const STEP = 4;

const { home, homes, begin, pid }: TokenOrders = JSON.parse(process.argv[2] ?? "{}");
if (pid !== undefined) Object.defineProperty(process, "pid", { value: pid });
const tokens: string[] = [];
for (let n = 0; n < homes; n++) {
  while (Date.now() < begin + n * STEP);
  tokens.push(loadOrCreateToken(join(home, String(n))));
}
console.log(JSON.stringify(tokens));
