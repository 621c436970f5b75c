import { useStdout } from "ink";
import { useEffect, useState } from "react";
import { TURN } from "../pages/pages.ts";

/** The time; looked at again and again while something moves, and not at all else. */
export function useNow(moves: boolean, given: number | undefined): number {
  const [now, setNow] = useState(() => given ?? Date.now());
  useEffect(() => {
    if (!moves || given !== undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TURN);
    return () => clearInterval(timer);
  }, [moves, given]);
  return given ?? (moves ? now : Date.now());
}

/** The width of the terminal, unless another one is wanted. */
export function useWidth(given: number | undefined): number {
  const { stdout } = useStdout();
  return given ?? (stdout.columns || 80);
}
