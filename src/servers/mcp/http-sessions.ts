import { MAIN_AGENT } from "../../core/text/ids.ts";
import {
  generateMcpSessionId,
  isMcpSessionId,
  type Session,
} from "../../sessions/caller/session.ts";

const HEADER = "mcp-session-id";
/** Carries a generated id to the handler of the request; removed from requests of clients. */
const GENERATED = "x-waymark-generated-session";
/** Only newer protocols send it; they have no sessions. */
const METHOD_HEADER = "mcp-method";
const MAX_ISSUED = 10_000;

interface HttpSession {
  readonly session: Session;
  /** The client sent its id. */
  readonly isKnown: boolean;
  /** The client said in an earlier request that it shows views. */
  readonly showsViews: boolean;
  /** Registers what the client said in this request, which is read when it is answered. */
  readShowsViews(read: () => boolean): void;
}

/** The sessions of clients over HTTP. Their ids cannot be guessed, so they need not be stored. */
export interface HttpSessions {
  /** Answers a request. A client without a session receives a new one in a header, if its protocol has sessions. */
  answer(request: Request, handle: (request: Request) => Promise<Response>): Promise<Response>;
  /** The session of a request that is being answered. */
  of(request: Request | undefined): HttpSession;
  /** Whether this server generated the id. */
  isIssued(session: string): boolean;
}

export function createHttpSessions(): HttpSessions {
  const issued = new Set<string>();
  const withViews = new Set<string>();
  const reading = new Map<string, () => boolean>();

  function generate(): string {
    const id = generateMcpSessionId();
    addLimited(issued, id);
    return id;
  }

  return {
    async answer(request, handle) {
      const headers = new Headers(request.headers);
      headers.delete(GENERATED);
      const id = sentBy(request) === undefined ? generate() : undefined;
      if (id !== undefined) headers.set(GENERATED, id);
      const response = await handle(new Request(request, { headers })).finally(() => {
        if (id === undefined) return;
        if (reading.get(id)?.()) addLimited(withViews, id);
        reading.delete(id);
      });
      if (id === undefined || !response.ok || headers.has(METHOD_HEADER)) return response;
      const { status, statusText, body } = response;
      const more = new Headers(response.headers);
      more.set(HEADER, id);
      return new Response(body, { status, statusText, headers: more });
    },
    of(request) {
      const sent = request && sentBy(request);
      const generated = request?.headers.get(GENERATED);
      const session = sent ?? generated ?? generate();
      return {
        session: { session, agent: MAIN_AGENT },
        isKnown: sent !== undefined,
        showsViews: withViews.has(session),
        readShowsViews(read) {
          if (generated) reading.set(generated, read);
        },
      };
    },
    isIssued: (session) => issued.has(session),
  };
}

function addLimited(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_ISSUED && oldest !== undefined) ids.delete(oldest);
}

/** The id that the client sent; an id of another form is ignored. */
function sentBy(request: Request): string | undefined {
  const sent = request.headers.get(HEADER) ?? "";
  return isMcpSessionId(sent) ? sent : undefined;
}
