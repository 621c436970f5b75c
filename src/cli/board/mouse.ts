/** For commands that open the board. */
export const NO_MOUSE_OPTION = {
  type: "boolean",
  summary: "Leave the mouse to the terminal, e.g. to select text without Shift",
} as const;

/** Whether the board uses clicks and the wheel: not with --no-mouse or WAYMARK_NO_MOUSE. */
export function usesMouse({ WAYMARK_NO_MOUSE }: NodeJS.ProcessEnv, noMouse: boolean): boolean {
  return !noMouse && (!WAYMARK_NO_MOUSE || WAYMARK_NO_MOUSE === "0");
}
