import { keepPlace, placeHere, takePlace } from "./return-to.ts";
import { applyTheme, keptTheme } from "./theme.ts";

/**
 * Signs a browser in. The one-time code is in the hash of the address, which browsers do not send: it is in no
 * request line, log or referrer. This script exchanges the code for a session cookie, then opens the address
 * in the link, or the one that was asked for before, or the board.
 */

const PATH = "/open";

async function signIn(): Promise<void> {
  const [code = "", to] = location.hash.slice(1).split("?to=");
  history.replaceState(null, "", PATH);
  write("#message", "Opening the board.");
  const answer = await exchange(code);
  if (answer !== "signed in") {
    show(answer);
    return;
  }
  const kept = takePlace(Date.now(), location.origin);
  location.replace(placeIn(to) ?? kept ?? "/");
}

function placeIn(to: string | undefined): string | undefined {
  try {
    return to === undefined ? undefined : placeHere(decodeURIComponent(to), location.origin);
  } catch {
    // Not an encoded address.
    return undefined;
  }
}

interface Refusal {
  readonly title: string;
  readonly message: string;
}

/** The server also accepts a browser that is signed in already, whatever the code. */
async function exchange(code: string): Promise<Refusal | "signed in"> {
  try {
    const answer = await fetch(PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    return answer.ok ? "signed in" : await answer.json();
  } catch {
    return {
      title: "Waymark is not running",
      message: "The server does not answer. Start it again, then open the new link.",
    };
  }
}

function show({ title, message }: Refusal): void {
  document.documentElement.dataset.state = "signed-out";
  document.title = `${title} · Waymark`;
  write("h1", title);
  write("#message", message);
  document.querySelector("#ways")?.removeAttribute("hidden");
}

function write(place: string, text: string): void {
  const found = document.querySelector(place);
  if (found) found.textContent = text;
}

/**
 * Another site's link arrives without the session cookie although the browser is signed in, and the user may
 * sign in elsewhere while this tab waits. In both cases this page moves on.
 */
async function moveOnIfSignedIn(): Promise<void> {
  if ((await exchange("")) === "signed in") location.replace(PATH);
}

applyTheme(keptTheme());
if (location.pathname === PATH) void signIn();
else {
  keepPlace(location.pathname + location.search + location.hash, Date.now());
  void moveOnIfSignedIn();
}
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && document.documentElement.dataset.state === "signed-out")
    void moveOnIfSignedIn();
});
