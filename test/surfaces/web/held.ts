import type { BrowserContext, Page, Request, Route } from "playwright-core";

interface Held {
  /** The server has answered, and the page does not have it yet. */
  readonly answered: Promise<void>;
  /** The page gets the answer of then. */
  letGo(): Promise<void>;
}

/** Holds back the answer to the next request of a kind; those after it go through. */
export async function holdNext(page: Page, isOne: (request: Request) => boolean): Promise<Held> {
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
    letGo() {
      open.open();
      return handed.passed;
    },
  };
}

/**
 * Holds back what a page sends until it is let go; what it sends too late for that counts as well.
 * The route stays: of a request that is sent while one is taken away the browser's driver tells nothing.
 */
export async function holdBack(page: Page) {
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
    letGo: open.open,
  };
}

/** The next request of a kind is answered by what makes another answer of the server's. */
export async function twistNext<Body>(
  page: Page,
  isOne: (request: Request) => boolean,
  twist: (body: Body) => unknown,
): Promise<void> {
  await onNext(page, isOne, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: twist(await response.json()) });
  });
}

/** Holds back every request of a kind until `letGo`. */
export async function holdAll(page: Page, isOne: (request: Request) => boolean) {
  const [asked, open] = [gate(), gate()];
  await page.route("**/api/**", async (route) => {
    if (isOne(route.request())) {
      asked.open();
      await open.passed;
    }
    return route.fallback();
  });
  return {
    /** Resolves when the page has sent the first of them. */
    asked: asked.passed,
    letGo: open.open,
  };
}

/** Requests of a kind meet a store that is away, until what this returns is called. */
export async function refuseAll(
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
