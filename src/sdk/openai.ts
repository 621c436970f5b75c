export type { HostState } from "./call.ts";
export * from "./openai-session.ts";
export * from "./openai-tools.ts";
export type { SessionOptions, SessionTracker } from "./session.ts";
