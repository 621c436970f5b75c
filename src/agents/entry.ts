/**
 * What a third-party agent needs: the contract, the registry of known agents, a reader that runs a
 * decoder over records, and helpers that read values without trusting them.
 *
 * @packageDocumentation
 */
export type {
  StreamBase,
  StreamBody,
  StreamEvent,
  StreamItem,
  WarningCode,
} from "../core/stream/events.ts";
export type {
  About,
  Agent,
  Color,
  DatabaseShape,
  Dialect,
  DialectState,
  Emit,
  Identity,
  ListSetting,
  Machine,
  Needle,
  Place,
  Source,
} from "./agent.ts";
export type { AgentHooks } from "./common/hooks/agent.ts";
export type { HookEvent } from "./common/hooks/events.ts";
export { openReader, type Reader, type ReaderOptions } from "./common/reader.ts";
export type { SetupPart } from "./common/setup/agent.ts";
export {
  bareName,
  type Fields,
  fields,
  type ItemShape,
  items,
  list,
  number,
  outputText,
  parsed,
  shellExitCode,
  text,
} from "./common/values.ts";
export { AGENTS, findDialect, type Sniffed, sniff } from "./index.ts";
