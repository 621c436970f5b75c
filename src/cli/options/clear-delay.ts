export const CLEAR_DELAY_OPTION = {
  type: "string",
  value: "DELAY",
  summary: "Hide a todo this long after it was closed: seconds, 90s, 5m or off",
  default: "WAYMARK_CLEAR_DELAY, or only a finished list after 60s",
} as const;
