/**
 * Decoders: read todo lists, plans and progress from the session files and live output of coding agents. Use the
 * decoders of the known agents (`AGENTS`, `findDecoder`, `detectAgent`), or write a `Decoder` for your own agent and run
 * it with `openReader`. The other functions read untrusted values.
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
  Agent,
  Color,
  DatabaseFormat,
  Decoder,
  DecoderState,
  Emit,
  EventContext,
  Identity,
  ListSetting,
  Machine,
  Needle,
  SessionLocation,
  Source,
} from "./agent.ts";
export { openReader, type Reader, type ReaderOptions } from "./common/reader.ts";
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
export { AGENTS, type Detection, detectAgent, findDecoder } from "./index.ts";
