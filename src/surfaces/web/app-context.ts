import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Store } from "./store.ts";

export interface Notice {
  readonly text: string;
  readonly undo?: () => void;
  readonly isProblem?: boolean;
}

/** What every part of the page can do. */
export interface App {
  readonly store: Store;
  go(path: string): void;
  /** Says something to whoever looks, and to whoever listens. */
  tell(notice: Notice): void;
  readonly search: string;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("outside of the page");
  return app;
}
