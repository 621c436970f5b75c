import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageStore } from "./store.ts";

export interface ToastMessage {
  readonly text: string;
  /** What it is about, where it stays beside others: only another one about the same replaces it. */
  readonly subject?: string;
  readonly undo?: () => void;
  readonly isProblem?: boolean;
}

/** What every part of the page can do. */
export interface App {
  readonly store: PageStore;
  go(path: string): void;
  /** Says something to whoever looks, and to whoever listens. Answers how to say it no more. */
  tell(toast: ToastMessage): () => void;
  readonly search: string;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("outside of the page");
  return app;
}
