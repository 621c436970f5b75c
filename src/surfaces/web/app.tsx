/**
 * surfaces/web: the page of `waymark serve`, in Preact. `board/` shows all sessions, `session/` one list,
 * `tasks/` the task board, `state/` the store that the event stream feeds, `ui/` shared parts.
 */
import { render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../../core/text/count.ts";
import { alarmWords, countStates } from "../../core/views/board.ts";
import { trackOfPath } from "../../core/wire.ts";
import { BoardPage } from "./board/board.tsx";
import { DemoBadge, EndCard, useEndCard } from "./board/demo.tsx";
import { Help } from "./board/help.tsx";
import { Toasts, useToasts } from "./board/toasts.tsx";
import { signInAddress } from "./connection/return-to.ts";
import { SignedOut, signIn } from "./connection/session.ts";
import { TrackPage } from "./session/track.tsx";
import { type App, AppContext } from "./state/app-context.ts";
import { useKeys, useStore } from "./state/hooks.ts";
import { type Notifying, useNotifications } from "./state/notifications.ts";
import { openStore, type PageStore, type State } from "./state/store.ts";
import { applyTheme, keptTheme, nextTheme } from "./state/theme.ts";
import { useDemoTitle, useWaiting } from "./state/title.ts";
import { TasksPage } from "./tasks/board.tsx";
import { TaskPage } from "./tasks/detail.tsx";
import { Blaze, Icon } from "./ui/icons.tsx";
import { Go, Key } from "./ui/parts.tsx";
import { clock } from "./ui/words.ts";

const NOTIFYING: Readonly<Record<Notifying, string>> = {
  off: "You are not told while you look elsewhere.",
  on: "While you look elsewhere, the browser tells you who needs you, finished, stalled or loops.",
  refused: "The browser does not let this page tell you. Its settings for this site can.",
};

function Page({ store }: { readonly store: PageStore }) {
  const [path, setPath] = useState(location.pathname);
  const [search, setSearch] = useState("");
  const { toasts, tell, hide } = useToasts();
  const [isHelp, setHelp] = useState(false);
  const [theme, setTheme] = useState(keptTheme());
  const field = useRef<HTMLInputElement>(null);
  const state = useStore(store);

  useLayoutEffect(() => applyTheme(theme), [theme]);
  useEffect(() => {
    const back = () => setPath(location.pathname);
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const app = useMemo<App>(
    () => ({
      store,
      search,
      tell,
      go(to) {
        if (to !== location.pathname + location.hash) history.pushState(null, "", to);
        setPath(location.pathname);
        scrollTo(0, 0);
      },
    }),
    [store, search],
  );
  useWaiting(
    useMemo(
      () => countStates([...state.tracks.values()], Date.now()).counts["needs you"],
      [state.tracks],
    ),
  );
  const { demo } = state;
  useDemoTitle(demo !== undefined);
  // Signs of work stand still with the recording.
  useLayoutEffect(
    () => void document.documentElement.toggleAttribute("data-still", demo?.over === true),
    [demo?.over],
  );
  const endCard = useEndCard(demo);
  const { notifying, turn: turnNotifications } = useNotifications(store);
  const turn = () => setTheme(nextTheme(theme));
  useKeys({
    "/": () => field.current?.focus(),
    t: () => app.go("/tasks"),
    d: turn,
    "?": () => setHelp(true),
    Escape: () => setSearch(""),
  });
  const [, kind, part = ""] = path.split("/");
  const id = kind === "track" ? trackOfPath(decoded(part)) : undefined;
  return (
    <AppContext.Provider value={app}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Go to="/" class="brand">
          <Blaze />
          waymark
        </Go>
        <nav aria-label="Boards">
          <Go to="/" class="tab" aria-current={kind === "" ? "page" : undefined}>
            Tracks
          </Go>
          <Go to="/tasks" class="tab" aria-current={kind === "tasks" ? "page" : undefined}>
            Tasks
          </Go>
        </nav>
        {demo && <DemoBadge demo={demo} onNext={endCard.show} />}
        <LinkState state={state} isTasks={kind === "tasks"} />
        <div class="search" role="search">
          <Icon name="find" />
          <input
            ref={field}
            type="search"
            aria-label="Search lists, plans, tasks"
            placeholder="Search lists, plans, tasks"
            value={search}
            onInput={(event) => {
              setSearch(event.currentTarget.value);
              if (kind === "tasks") {
                if (part !== "") app.go("/tasks");
              } else if (kind !== "") app.go("/");
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter") field.current?.blur();
              if (event.key === "Escape") setSearch("");
            }}
          />
          <Key>/</Key>
        </div>
        <button
          type="button"
          class="button ghost icon-only"
          aria-label="Tell me while I look elsewhere"
          aria-pressed={notifying === "on"}
          title={NOTIFYING[notifying]}
          disabled={notifying === "refused"}
          onClick={() => void turnNotifications().then((now) => tell({ text: NOTIFYING[now] }))}
        >
          <Icon name={notifying === "on" ? "bell-on" : "bell"} />
        </button>
        <button
          type="button"
          class="button ghost icon-only"
          aria-label={`Colours: ${theme}. Change`}
          title={`Colours: ${theme}`}
          onClick={turn}
        >
          <Icon name="theme" />
        </button>
      </header>
      {state.link.state === "lost" && (
        <div class="strip lost" role="alert">
          Not live since {clock(state.link.since)}, trying again. {state.link.why}
        </div>
      )}
      {state.problem !== undefined && (
        <div class="strip lost" role="alert">
          {state.problem}
        </div>
      )}
      {id ? (
        <TrackPage key={part} id={id} />
      ) : kind !== "tasks" ? (
        <BoardPage />
      ) : part === "" ? (
        <TasksPage />
      ) : (
        <TaskPage key={part} id={decoded(part)} />
      )}
      <footer class="foot">
        <span>
          <kbd>j</kbd>
          <kbd>k</kbd> move
        </span>
        <span>
          <kbd>enter</kbd> open
        </span>
        <span>
          <kbd>/</kbd> search
        </span>
        <button type="button" class="link" onClick={() => setHelp(true)}>
          <kbd>?</kbd> all keys
        </button>
      </footer>
      {isHelp && <Help onClose={() => setHelp(false)} />}
      {demo && endCard.isShown && <EndCard demo={demo} onClose={endCard.close} />}
      <Live state={state} />
      <Toasts toasts={toasts} hide={hide} />
    </AppContext.Provider>
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Typed by hand: no track is called so.
    return "";
  }
}

function LinkState({ state, isTasks }: { readonly state: State; readonly isTasks: boolean }) {
  const { link, tracks, tasks } = state;
  const isLive = link.state === "live";
  const what = isTasks
    ? counted(tasks.tasks.size, "task")
    : tracks.size === 0
      ? "watching for sessions"
      : counted(tracks.size, "track");
  return (
    <p class={`link-state${isLive ? " live" : ""}`}>
      <i aria-hidden="true" />
      {isLive ? `Live, ${what}` : link.state === "lost" ? "Not live" : "Opening"}
    </p>
  );
}

/** Tells those who listen when somebody begins to need them; never how time passes. */
function Live({ state: { tracks } }: { readonly state: State }) {
  const said = alarmWords(countStates([...tracks.values()], Date.now()));
  return (
    <p class="unseen" role="log" aria-live="polite">
      {said}
    </p>
  );
}

/** Shows the board; a browser that is not signed in goes to the sign-in page. */
async function start(root: HTMLElement): Promise<void> {
  applyTheme(keptTheme());
  try {
    await signIn();
  } catch (error) {
    if (error instanceof SignedOut) {
      location.replace(signInAddress(location));
      return;
    }
    // The server is away: the board says so, and tries again.
  }
  render(<Page store={openStore()} />, root);
}

const root = document.getElementById("app");
if (root) void start(root);
