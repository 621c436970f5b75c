/** What agent-chatter calls the programs that Waymark knows by another id. */
export const AGENT_TYPES: Readonly<Record<string, string>> = {
  "claude-code": "claude-code",
  "openai-codex": "codex",
  "google-gemini": "gemini",
};
