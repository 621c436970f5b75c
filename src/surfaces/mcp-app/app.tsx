import { render } from "preact";
import { useEffect, useReducer } from "preact/hooks";
import { SECOND } from "../../core/text/duration.ts";
import { Icon } from "../web/ui/icons.tsx";
import { hueClass, Text } from "../web/ui/parts.tsx";
import { Time } from "../web/ui/time.tsx";
import { type Bridge, isObject, openBridge } from "./bridge.ts";
import { add } from "./edits.ts";
import { Header } from "./header.tsx";
import { applyContext } from "./host.ts";
import { AddField, Todos } from "./list.tsx";
import { createLive, type Live, shownTodos } from "./live.ts";
import { PlanPanel } from "./plan.tsx";
import { Tasks } from "./tasks.tsx";

const PROTOCOL = "2026-01-26";
const CLOCK = 10 * SECOND;

function App({ live }: { readonly live: Live }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    live.subscribe(() => redraw(undefined));
    const clock = setInterval(() => redraw(undefined), CLOCK);
    return () => clearInterval(clock);
  }, [live]);
  const state = live.get();
  const { view, text, notice, canCall, isConnected, lostAt, edits } = state;
  const todos = shownTodos(state);
  const plan = view?.plan?.state === "proposed" ? view.plan : undefined;
  return (
    <main class={`app ${hueClass(view?.agentType)}`} aria-label="Waymark">
      {lostAt !== undefined && (
        <div class="lost" role="status">
          <Icon name="stalled" />
          <span>
            Not live since <Time at={lostAt} />.{edits.length > 0 && " Your changes are kept."}
          </span>
          <button type="button" class="button" onClick={live.retry}>
            Retry
          </button>
        </div>
      )}
      {view ? (
        <>
          {view.tasks && <Tasks tasks={view.tasks} live={live} />}
          {(!view.tasks || todos.length > 0 || plan) && (
            <>
              <Header view={view} todos={todos} />
              {view.refused !== undefined && (
                <p class="refused">
                  <Icon name="blocked" /> <Text>{view.refused}</Text>
                </p>
              )}
              <div class={plan ? "two" : undefined}>
                <Todos todos={todos} canEdit={canCall} send={live.send} />
                {plan && <PlanPanel plan={plan} live={live} canDecide={canCall} />}
              </div>
              {canCall && (
                <AddField
                  label="Add a todo"
                  onAdd={(text, onDone) => {
                    live.send(add(text, todos));
                    onDone();
                  }}
                />
              )}
            </>
          )}
          {isConnected && !canCall && (
            <p class="foot">Read-only: this app does not let views change anything.</p>
          )}
        </>
      ) : text !== undefined ? (
        <pre class="as-text">
          <Text>{text}</Text>
        </pre>
      ) : (
        <p class="foot" role="status">
          {notice?.isProblem ? "There is no list to show." : "Loading the list…"}
        </p>
      )}
      <div role="status" class={notice ? `notice${notice.isProblem ? " problem" : ""}` : undefined}>
        {notice && (
          <>
            <Text>{notice.text}</Text>
            {notice.undo && (
              <button
                type="button"
                class="button"
                onClick={() => {
                  live.dismiss();
                  notice.undo?.();
                }}
              >
                Undo
              </button>
            )}
            {notice.isProblem && (
              <button type="button" class="button" onClick={live.dismiss}>
                Dismiss
              </button>
            )}
          </>
        )}
      </div>
    </main>
  );
}

/** Reports the height to the host, which sizes the frame. */
function reportSize(bridge: Bridge, root: Element): void {
  let last = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === last) return;
    last = height;
    bridge.notify("ui/notifications/size-changed", { height });
  }).observe(root);
}

/** The list is read only while the user can see it. */
function watchVisibility(live: Live, root: Element): void {
  let isOnScreen = true;
  const update = () => live.setVisible(isOnScreen && document.visibilityState !== "hidden");
  document.addEventListener("visibilitychange", update);
  new IntersectionObserver(([entry]) => {
    isOnScreen = entry?.isIntersecting ?? true;
    update();
  }).observe(root);
}

async function start(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  const bridge = openBridge();
  const live = createLive(bridge);
  const html = document.documentElement;
  bridge.on("ui/notifications/tool-input", () => undefined);
  bridge.on("ui/notifications/tool-result", live.receive);
  bridge.on("ui/notifications/tool-cancelled", () => live.retry());
  bridge.on("ui/notifications/host-context-changed", (context) => applyContext(context, html));
  bridge.on("ui/resource-teardown", live.stop);
  render(<App live={live} />, root);
  reportSize(bridge, root);
  const answer = await bridge.request("ui/initialize", {
    protocolVersion: PROTOCOL,
    appInfo: { name: "waymark", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  const { hostContext, hostCapabilities } = isObject(answer) ? answer : {};
  applyContext(hostContext, html);
  const info = isObject(hostContext) && isObject(hostContext.toolInfo) ? hostContext.toolInfo : {};
  const name = isObject(info.tool) ? info.tool.name : undefined;
  live.connected(hostCapabilities, typeof name === "string" ? name : undefined);
  bridge.notify("ui/notifications/initialized", {});
  watchVisibility(live, root);
}

void start();
