import type { TrackId } from "../../../core/model.ts";
import { hasOpenPlan } from "../../../core/views/board.ts";
import { NO_FILTERS } from "../../../core/views/find/filters.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import { titleOf } from "../../../core/views/title.ts";
import { type Runs, startRun, whyNot } from "../checks/runs.ts";
import { approveWithUndo, rejectWithUndo } from "../session/plan-actions.ts";
import type { App } from "../state/app-context.ts";
import type { IconName } from "../ui/icons.tsx";
import { canDecideHere } from "../ui/parts.tsx";
import type { PaletteItem } from "./items.ts";

interface ActionParts {
  readonly app: App;
  /** The session whose page is open. */
  readonly id: TrackId | undefined;
  readonly merged: MergedTrack | undefined;
  readonly runs: Runs | undefined;
  readonly hasFilters: boolean;
  switchTheme(): void;
  switchNotifications(): void;
  showHelp(): void;
  search(): void;
}

/** The actions of the palette. Each shows its own key, so that the palette teaches it. */
export function actionsOf(parts: ActionParts): readonly PaletteItem[] {
  const { app, merged, runs, hasFilters } = parts;
  const action = (
    text: string,
    icon: IconName,
    run: () => void,
    shortcut?: string,
    detail = "",
  ): PaletteItem => ({
    key: `action ${text}`,
    group: "Actions",
    icon,
    text,
    detail,
    run,
    ...(shortcut !== undefined && { shortcut }),
  });
  const ofSession = (open: MergedTrack): readonly PaletteItem[] => {
    const title = titleOf(open);
    const canVerify = whyNot(open, runs) === undefined;
    const canDecide = hasOpenPlan(open) && canDecideHere(open);
    return [
      ...(canDecide
        ? [
            action("Approve the plan", "you", () => approveWithUndo(app, open), "a", title),
            action("Reject the plan", "you", () => rejectWithUndo(app, open), "r", title),
          ]
        : []),
      ...(canVerify
        ? [
            action("Verify", "reproduced", () => void startRun(app, open.track, {}), "v", title),
            action("Checks", "done", () => app.showChecks({ id: open.track }), undefined, title),
          ]
        : []),
    ];
  };
  return [
    ...(merged ? ofSession(merged) : []),
    action("Sessions", "find", () => app.navigate("/")),
    action("Tasks", "find", () => app.navigate("/tasks"), "t"),
    action("Search", "find", parts.search, "/"),
    ...(hasFilters ? [action("Clear filters", "failed", () => app.filter(NO_FILTERS))] : []),
    action("Switch theme", "theme", parts.switchTheme, "d"),
    action("Desktop notifications", "bell", parts.switchNotifications),
    action("Keyboard shortcuts", "on", parts.showHelp, "?"),
  ];
}
