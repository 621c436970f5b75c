import { parseTime, parseTimeAhead } from "../../../src/cli/args/time.ts";
import { splitCommand } from "../../../src/cli/io/editor.ts";
import { UsageError, WaymarkError } from "../../../src/core/error.ts";
import { parseClearDelay } from "../../../src/core/text/clear-delay.ts";
import { parseDuration, spellDuration } from "../../../src/core/text/duration.ts";
import { fuzzyMatch } from "../../../src/core/text/fuzzy.ts";
import { parseStatus } from "../../../src/core/text/status.ts";
import { parseTrackPath } from "../../../src/core/wire.ts";
import { parseListUri, parseTaskUri } from "../../../src/servers/mcp/resources/uris.ts";
import { parseSinks } from "../../../src/servers/notify/sinks.ts";
import { parseTarget } from "../../../src/servers/report/target.ts";
import { processInStat } from "../../../src/sessions/caller/processes.ts";
import { processesInPs } from "../../../src/sessions/caller/running.ts";
import { parseQuery } from "../../../src/surfaces/terminal/find/query.ts";
import { holds } from "../check.ts";

const NOW = Date.UTC(2026, 0, 2);

class Refused extends Error {}
const refuse = (message: string): never => {
  throw new Refused(message);
};

function refused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WaymarkError || error instanceof UsageError || error instanceof Refused))
      throw error;
    holds("a refusal is short", error.message.length < 400);
    return undefined;
  }
}

/** Texts that users type, and those of the operating system. */
export function fuzz(bytes: Buffer): void {
  const text = bytes.toString();
  const past = refused(() => parseTime(text, NOW));
  holds("a time is not in the future", past === undefined || past <= NOW);
  const ahead = refused(() => parseTimeAhead("due", text, NOW));
  holds("a time is a number", ahead === undefined || Number.isFinite(ahead));
  const duration = parseDuration(text);
  holds("a duration is positive", duration === undefined || duration > 0);
  if (duration !== undefined) spellDuration(duration);
  refused(() => parseSinks(text, refuse));
  refused(() => parseTarget(text, refuse));
  for (const read of [
    parseStatus,
    parseClearDelay,
    parseTrackPath,
    parseListUri,
    parseTaskUri,
    parseQuery,
    splitCommand,
    processesInPs,
  ])
    (read as (text: string) => unknown)(text);
  processInStat(1, text);
  const match = fuzzyMatch(text.slice(0, 20).toLowerCase(), text);
  holds("a match is a number", match === undefined || Number.isFinite(match.score));
}
