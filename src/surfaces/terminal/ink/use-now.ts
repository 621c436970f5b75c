import { useStdout } from "ink";
import { useEffect, useState } from "react";
import { FRAME_MS } from "../pages/pages.ts";

/** The current time, updated every frame while `moves`; constant if `given` is set. */
export function useNow(moves: boolean, given: number | undefined): number {
  const [now, setNow] = useState(() => given ?? Date.now());
  useEffect(() => {
    if (!moves || given !== undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), FRAME_MS);
    return () => clearInterval(timer);
  }, [moves, given]);
  return given ?? (moves ? now : Date.now());
}

/** The given width, or the width of the terminal. */
export function useWidth(given: number | undefined): number {
  const { stdout } = useStdout();
  return given ?? (stdout.columns || 80);
}
