/**
 * surfaces/web: the page of `waymark serve`, in Preact. `board/` shows all sessions, `session/` one session,
 * `tasks/` the task board; `state/` has the store that the event stream updates, `ui/` shared components.
 */
import { render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../../core/text/count.ts";
import { trackKey } from "../../core/text/ids.ts";
import { alarmText, countStates } from "../../core/views/board.ts";
import { NO_FILTERS } from "../../core/views/find/filters.ts";
import { parseTrackPath } from "../../core/wire.ts";
import { BoardPage } from "./board/board.tsx";
import { DemoBadge, EndCard, useEndCard } from "./board/demo.tsx";
import { filtersQuery, parseFilters } from "./board/filter-values.ts";
import { Help } from "./board/help.tsx";
import { ChecksDialog, type WantedChecks } from "./checks/checks-dialog.tsx";
import { useRunToasts } from "./checks/run-toasts.ts";
import { signInAddress } from "./connection/return-to.ts";
import { SignedOut, signIn } from "./connection/session.ts";
import { MuteDialog, type Muting } from "./mutes/mute.tsx";
import { actionsOf } from "./palette/actions.ts";
import { Palette } from "./palette/palette.tsx";
import { TrackPage } from "./session/track.tsx";
import { type App, AppContext } from "./state/app-context.ts";
import { decided } from "./state/decisions.ts";
import { useKeys, useStore } from "./state/hooks.ts";
import { keepFocus } from "./state/keep-focus.ts";
import { type NotificationState, useNotifications } from "./state/notifications.ts";
import { openStore, type PageStore, type State } from "./state/store.ts";
import { applyTheme, nextTheme, storedTheme } from "./state/theme.ts";
import { useDemoTitle, useTitle, useWaitingCount } from "./state/title.ts";
import { TasksPage } from "./tasks/board.tsx";
import { TaskPage } from "./tasks/detail.tsx";
import { Toasts, useToasts } from "./toasts/toasts.tsx";
import { Icon, Logo } from "./ui/icons.tsx";
import { Key, Link } from "./ui/parts.tsx";
import { Time } from "./ui/time.tsx";

const NOTIFICATION_HINTS: Readonly<Record<NotificationState, string>> = {
  off: "Desktop notifications are off.",
  on: "Desktop notifications are on while this tab is in the background.",
  refused: "Desktop notifications are blocked. Allow them in the browser's site settings.",
};

function Page({ store }: { readonly store: PageStore }) {
  const [path, setPath] = useState(location.pathname);
  const [search, setSearch] = useState("");
  const [filters, setFilters] = useState(() => parseFilters(location.search));
  const toasts = useToasts();
  const notify = toasts.add;
  const [isHelp, setHelp] = useState(false);
  const [isPalette, setPalette] = useState(false);
  const [checks, setChecks] = useState<WantedChecks | undefined>();
  const [muting, setMuting] = useState<Muting | undefined>();
  const [theme, setTheme] = useState(storedTheme());
  const field = useRef<HTMLInputElement>(null);
  const state = useStore(store);

  useLayoutEffect(() => applyTheme(theme), [theme]);
  useEffect(() => {
    const back = () => {
      setPath(location.pathname);
      if (location.pathname === "/") setFilters(parseFilters(location.search));
    };
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const app = useMemo<App>(
    () => ({
      store,
      search,
      showChecks: setChecks,
      showMute: setMuting,
      clearSearch: () => setSearch(""),
      filters,
      filter: setFilters,
      notify,
      navigate(to) {
        const { pathname, search: query, hash } = location;
        if (to !== pathname + query + hash) history.pushState(null, "", to);
        setPath(location.pathname);
        scrollTo(0, 0);
        // The browser reports only changes of the hash that it made itself.
        if (location.hash !== "") dispatchEvent(new Event("hashchange"));
      },
    }),
    [store, search, filters],
  );
  const query = filtersQuery(filters);
  useLayoutEffect(() => {
    if (path === "/" && location.search !== query)
      history.replaceState(null, "", `/${query}${location.hash}`);
  }, [path, query]);
  const states = useMemo(
    () => countStates(decided(state.tracks, state.decisions), Date.now()),
    [state.tracks, state.decisions],
  );
  useWaitingCount(states.counts["needs you"]);
  const { demo } = state;
  useDemoTitle(demo !== undefined);
  // Spinners stop with the recording.
  useLayoutEffect(
    () => void document.documentElement.toggleAttribute("data-still", demo?.over === true),
    [demo?.over],
  );
  useRunToasts(state.runs, notify);
  const endCard = useEndCard(demo);
  const { notifying, toggle: toggleNotifications } = useNotifications(store);
  const switchTheme = () => setTheme(nextTheme(theme));
  const switchNotifications = () =>
    void toggleNotifications().then((now) => notify({ text: NOTIFICATION_HINTS[now] }));
  useEffect(() => {
    // Also in fields, where single keys are text.
    const open = (event: KeyboardEvent): void => {
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isShortcut || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (!document.querySelector("dialog[open]:not(.palette)")) setPalette((isOpen) => !isOpen);
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  useKeys({
    "/": () => field.current?.focus(),
    t: () => app.navigate("/tasks"),
    d: switchTheme,
    "?": () => setHelp(true),
    Escape: () => {
      setSearch("");
      if (path === "/") setFilters(NO_FILTERS);
    },
  });
  const [, kind, part = ""] = path.split("/");
  const id = kind === "track" ? parseTrackPath(decoded(part)) : undefined;
  return (
    <AppContext.Provider value={app}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="top">
        <Link to="/" class="brand">
          <Logo />
          waymark
        </Link>
        <nav aria-label="Main">
          <Link
            to="/"
            class="tab"
            aria-current={kind === "" || kind === "track" ? "page" : undefined}
          >
            Sessions
          </Link>
          <Link to="/tasks" class="tab" aria-current={kind === "tasks" ? "page" : undefined}>
            Tasks
          </Link>
        </nav>
        {demo && <DemoBadge demo={demo} onNext={endCard.show} />}
        <ConnectionStatus state={state} isTasks={kind === "tasks"} />
        <div class="search" role="search">
          <Icon name="find" />
          <input
            ref={field}
            type="search"
            aria-label="Search sessions, plans, tasks"
            placeholder="Search sessions, plans, tasks"
            value={search}
            onInput={(event) => {
              setSearch(event.currentTarget.value);
              if (kind === "tasks") {
                if (part !== "") app.navigate("/tasks");
              } else if (kind !== "") app.navigate("/");
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
          class="button ghost commands"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => setPalette(true)}
        >
          Commands <Key>ctrl k</Key>
        </button>
        <button
          type="button"
          class="button ghost icon-only"
          aria-label="Desktop notifications"
          aria-pressed={notifying === "on"}
          title={NOTIFICATION_HINTS[notifying]}
          disabled={notifying === "refused"}
          onClick={switchNotifications}
        >
          <Icon name={notifying === "on" ? "bell-on" : "bell"} />
        </button>
        <button
          type="button"
          class="button ghost icon-only"
          aria-label={`Theme: ${theme}. Switch theme`}
          title={`Theme: ${theme}`}
          onClick={switchTheme}
        >
          <Icon name="theme" />
        </button>
      </header>
      {state.connection.state === "lost" && (
        <div class="strip lost" role="alert">
          Not live since <Time at={state.connection.since} />, reconnecting. {state.connection.why}
        </div>
      )}
      {state.problem !== undefined && (
        <div class="strip lost" role="alert">
          {state.problem}
        </div>
      )}
      {id ? (
        <TrackPage key={part} id={id} />
      ) : kind === "" ? (
        <BoardPage />
      ) : kind !== "tasks" ? (
        <NotFoundPage />
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
          <kbd>?</kbd> shortcuts
        </button>
      </footer>
      {isPalette && (
        <Palette
          actions={actionsOf({
            app,
            id,
            merged: id && state.tracks.get(trackKey(id)),
            runs: state.runs,
            hasFilters: query !== "",
            switchTheme,
            switchNotifications,
            showHelp: () => setHelp(true),
            search: () => field.current?.focus(),
          })}
          onClose={() => setPalette(false)}
        />
      )}
      {muting && <MuteDialog {...muting} onClose={() => setMuting(undefined)} />}
      {checks && <ChecksDialog {...checks} onClose={() => setChecks(undefined)} />}
      {isHelp && <Help onClose={() => setHelp(false)} />}
      {demo && endCard.isShown && <EndCard demo={demo} onClose={endCard.close} />}
      <Live text={alarmText(states)} />
      <Toasts queue={toasts} />
    </AppContext.Provider>
  );
}

function NotFoundPage() {
  useTitle("Not found · Waymark");
  return (
    <main id="main" class="page">
      <div class="empty">
        <h1>Not found</h1>
        <p>There is no page at this address.</p>
        <p>
          <Link to="/" class="link">
            Back to sessions
          </Link>
        </p>
      </div>
    </main>
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not a valid encoding: no session has this name.
    return "";
  }
}

function ConnectionStatus({
  state,
  isTasks,
}: {
  readonly state: State;
  readonly isTasks: boolean;
}) {
  const { connection, tracks, tasks } = state;
  const isLive = connection.state === "live";
  const what = isTasks
    ? counted(tasks.tasks.size, "task")
    : tracks.size === 0
      ? "waiting for sessions"
      : counted(tracks.size, "session");
  return (
    <p class={`link-state${isLive ? " live" : ""}`}>
      <i aria-hidden="true" />
      {isLive ? `Live, ${what}` : connection.state === "lost" ? "Not live" : "Connecting"}
    </p>
  );
}

/** Announces to screen readers which sessions need attention; never elapsed times. */
function Live({ text }: { readonly text: string }) {
  return (
    <p class="visually-hidden" role="log" aria-live="polite">
      {text}
    </p>
  );
}

/** Shows the board; a browser that is not signed in goes to the sign-in page. */
async function start(root: HTMLElement): Promise<void> {
  applyTheme(storedTheme());
  try {
    await signIn();
  } catch (error) {
    if (error instanceof SignedOut) {
      location.replace(signInAddress(location));
      return;
    }
    // The server is unreachable: the board reports it and retries.
  }
  keepFocus(root);
  render(<Page store={openStore()} />, root);
}

const root = document.getElementById("app");
if (root) void start(root);
