import type { BrowserContext, Page, Request, Route } from "playwright-core";

interface DelayedResponse {
  /** Resolves when the server has responded; the page has not received it yet. */
  readonly answered: Promise<void>;
  /** Delivers the response. */
  release(): Promise<void>;
}

/** Delays the response to the next matching request. */
export async function delayNext(
  page: Page,
  isOne: (request: Request) => boolean,
): Promise<DelayedResponse> {
  const [answered, open, handed] = [gate(), gate(), gate()];
  await onNext(page, isOne, async (route) => {
    const response = await route.fetch();
    answered.open();
    await open.passed;
    await route.fulfill({ response });
    handed.open();
  });
  return {
    answered: answered.passed,
    release() {
      open.open();
      return handed.passed;
    },
  };
}

/**
 * Delays all POST requests of a page until `release`, and counts them, also later ones. The route is never
 * removed: Playwright does not see requests that are sent while a route is being removed.
 */
export async function delayPosts(page: Page) {
  let asked = 0;
  const open = gate();
  page.on("request", (request) => {
    if (isFor(/^\/api\//, "POST")(request)) asked += 1;
  });
  await page.route("**/api/**", async (route) => {
    if (route.request().method() === "POST") await open.passed;
    return route.continue();
  });
  return {
    asked: () => asked,
    release: open.open,
  };
}

/** Modifies the response to the next matching request. */
export async function modifyNext<Body>(
  page: Page,
  isOne: (request: Request) => boolean,
  twist: (body: Body) => unknown,
): Promise<void> {
  await onNext(page, isOne, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: twist(await response.json()) });
  });
}

/** Delays every matching request until `release`. */
export async function delayAll(page: Page, isOne: (request: Request) => boolean) {
  const [asked, open] = [gate(), gate()];
  await page.route("**/api/**", async (route) => {
    if (isOne(route.request())) {
      asked.open();
      await open.passed;
    }
    return route.fallback();
  });
  return {
    /** Resolves when the page has sent the first one. */
    asked: asked.passed,
    release: open.open,
  };
}

/** Fails matching requests with an unreachable store until the returned function is called. */
export async function failAll(
  page: Page | BrowserContext,
  isOne: (request: Request) => boolean,
): Promise<() => void> {
  const json = { code: "store_away", message: "The store is away." };
  let isAway = true;
  await page.route("**/api/**", (route) =>
    isAway && isOne(route.request()) ? route.fulfill({ status: 503, json }) : route.fallback(),
  );
  return () => {
    isAway = false;
  };
}

export function isFor(path: RegExp, method = "GET"): (request: Request) => boolean {
  return (request) => request.method() === method && path.test(new URL(request.url()).pathname);
}

async function onNext(
  page: Page,
  isOne: (request: Request) => boolean,
  answer: (route: Route) => Promise<void>,
): Promise<void> {
  let isOver = false;
  await page.route("**/api/**", async (route) => {
    if (isOver || !isOne(route.request())) return route.fallback();
    isOver = true;
    return answer(route);
  });
}

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), passed };
}
