import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Filters } from "../../../core/views/find/filters.ts";
import type { WantedChecks } from "../checks/checks-dialog.tsx";
import type { Muting } from "../mutes/mute.tsx";
import type { PageStore } from "./store.ts";

export interface ToastMessage {
  readonly text: string;
  /** A toast with the same subject replaces this one. */
  readonly subject?: string;
  readonly undo?: () => void;
  /** Called when the time to undo is over. */
  readonly onEnd?: () => void;
  readonly isProblem?: boolean;
}

/** Shared by all components of the page. */
export interface App {
  readonly store: PageStore;
  navigate(path: string): void;
  /**
   * Shows a toast and announces it to screen readers; the next one covers it. Returns a function that removes it.
   */
  notify(toast: ToastMessage): () => void;
  /** Opens the checks of a session's repository. */
  showChecks(wanted: WantedChecks): void;
  /** Asks for how long a finding is muted. */
  showMute(muting: Muting): void;
  readonly search: string;
  clearSearch(): void;
  /** The filters of the board, which the address shows while the board is open. */
  readonly filters: Filters;
  filter(filters: Filters): void;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("outside of the page");
  return app;
}
