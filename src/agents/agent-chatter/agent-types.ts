/** Agent ids by the types of agent-chatter. */
export const AGENT_TYPES: Readonly<Record<string, string>> = {
  "claude-code": "claude-code",
  "openai-codex": "codex",
  "google-gemini": "gemini",
};
