/** surfaces/mcp-app: the list as a view inside a chat host. `bridge` talks to the host, `live` keeps the data, `app` draws it. */

type Params = Readonly<Record<string, unknown>>;
type Handler = (params: Params) => void;

/** The answer of the host or the server was an error. */
export class CallError extends Error {}
/** No answer came in time. */
export class NoAnswer extends Error {}

/** JSON-RPC with the window that embeds this one (MCP Apps). */
export interface Bridge {
  request(method: string, params: Params, timeout?: number): Promise<unknown>;
  notify(method: string, params: Params): void;
  /** Notifications and requests of the host. Requests are answered with an empty result. */
  on(method: string, handler: Handler): void;
}

const TIMEOUT = 15_000;
const MAX_PENDING = 32;
const UNKNOWN_METHOD = -32_601;

interface Waiting {
  readonly done: (message: Params) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

export function openBridge(host: Window = window.parent): Bridge {
  const pending = new Map<number, Waiting>();
  const handlers = new Map<string, Handler>([["ping", () => undefined]]);
  let ids = 0;
  // The origin of the host is unknown, and the view holds no secret of the user.
  const post = (message: object) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");

  window.addEventListener("message", ({ source, data }: MessageEvent) => {
    if (source !== host || !isObject(data) || data.jsonrpc !== "2.0") return;
    const { id, method, params } = data;
    if (typeof method === "string") {
      const handle = handlers.get(method);
      handle?.(isObject(params) ? params : {});
      if (id === undefined) return;
      post(handle ? { id, result: {} } : { id, error: { code: UNKNOWN_METHOD, message: method } });
    } else if (typeof id === "number") {
      const waiting = pending.get(id);
      pending.delete(id);
      clearTimeout(waiting?.timer);
      waiting?.done(data);
    }
  });

  return {
    notify: (method, params) => post({ method, params }),
    on: (method, handler) => void handlers.set(method, handler),
    request: (method, params, timeout = TIMEOUT) =>
      new Promise((resolve, reject) => {
        if (pending.size >= MAX_PENDING) return reject(new NoAnswer("too many requests"));
        const id = ++ids;
        const timer = setTimeout(() => {
          pending.delete(id);
          reject(new NoAnswer(method));
        }, timeout);
        pending.set(id, {
          timer,
          done({ result, error }) {
            if (isObject(error)) reject(new CallError(String(error.message ?? method)));
            else resolve(result);
          },
        });
        post({ id, method, params });
      }),
  };
}

export function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
