import { statSync } from "node:fs";
import type { CheckList, KnownCheck } from "../../../checks/checks.ts";
import type { ChecksContext } from "../../../checks/request.ts";
import type { CheckForm, ChecksResponse, RunStatus } from "../../../core/checks/wire.ts";
import { CommandError, UsageError } from "../../../core/error.ts";
import type { Todo } from "../../../core/model.ts";
import { parseDuration } from "../../../core/text/duration.ts";
import type { MergedTrack } from "../../../core/views/merged.ts";
import {
  type Handler,
  HttpError,
  type RequestContext,
  type Route,
  readJson,
  sendJson,
} from "../routes.ts";
import { readAcceptBody, readChecksRequest, readVerifyBody } from "./requests.ts";
import type { Runs } from "./runs.ts";

export interface CheckParts {
  /** The session that a request names. */
  found(context: RequestContext): MergedTrack;
  /** Absent where nothing may run: in the demo, and on a page that shows another home directory. */
  readonly checks?: { readonly context: ChecksContext; readonly runs: Runs } | undefined;
}

/** Routes that list, approve and run the checks of a session's repository. */
export function checkRoutes({ found, checks }: CheckParts): readonly Route[] {
  /** Refuses where nothing may run, before anything is read or changed. */
  const guarded =
    (
      handle: (context: RequestContext, available: NonNullable<typeof checks>) => unknown,
    ): Handler =>
    (context) => {
      if (!checks)
        throw new HttpError(409, "read_only", "Checks are off here: this page is read-only.");
      return handle(context, checks);
    };
  return [
    {
      method: "GET",
      path: "/api/tracks/:id/checks",
      handle: guarded(async (request, { context }) => {
        sendJson(request.response, 200, await checksOf(context, directoryOf(found(request))));
      }),
    },
    {
      method: "POST",
      path: "/api/tracks/:id/checks",
      handle: guarded(async (request, { context }) => {
        const wanted = readChecksRequest(await readJson(request.request));
        const cwd = directoryOf(found(request));
        if (wanted.action !== "remove" && request.client !== "page") throw notAPerson();
        const { addCheck, listChecks, removeCheck, trustChecks } = await import(
          "../../../checks/checks.ts"
        );
        const { DEFAULT_LINKS, DEFAULT_TIMEOUT, LONGEST_TIMEOUT } = await import(
          "../../../checks/definition.ts"
        );
        await refusing(async () => {
          if (wanted.action === "remove") return removeCheck(context, cwd, wanted.name);
          if (wanted.action === "add") {
            const { command, name, timeout } = wanted;
            const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT : parseDuration(timeout);
            if (timeoutMs === undefined || timeoutMs > LONGEST_TIMEOUT)
              throw new UsageError(
                "Invalid timeout. Use a duration such as 90s, 5m or 1h, at most 24h.",
              );
            return addCheck(context, cwd, { command, name, timeoutMs, links: DEFAULT_LINKS });
          }
          const { checks: known } = await listChecks(context, cwd);
          const read = known.find(({ name }) => name === wanted.name);
          // Approves what the user read, and nothing else.
          if (read?.hash !== wanted.hash)
            throw new CommandError(
              `The check ${wanted.name} changed since you read it. Read it again.`,
            );
          return trustChecks(context, cwd, [wanted.name]);
        });
        sendJson(request.response, 200, await checksOf(context, cwd));
      }),
    },
    {
      method: "POST",
      path: "/api/tracks/:id/verify",
      handle: guarded(async (request, { context, runs }) => {
        const { todo, check: name } = readVerifyBody(await readJson(request.request));
        const merged = found(request);
        const cwd = directoryOf(merged);
        const todos = todosOf(merged, todo);
        const { listChecks } = await import("../../../checks/checks.ts");
        const check = await runnable(await refusing(() => listChecks(context, cwd)), name);
        const status: RunStatus = runs.start({ merged, cwd, check, todos, todo });
        sendJson(request.response, 202, status);
      }),
    },
    {
      method: "DELETE",
      path: "/api/tracks/:id/verify",
      handle: guarded((request, { runs }) => {
        const todo = request.url.searchParams.get("todo") ?? undefined;
        sendJson(request.response, 200, { cancelled: runs.cancel(found(request), todo) });
      }),
    },
    {
      method: "POST",
      path: "/api/tracks/:id/accept",
      handle: guarded(async (request, { context }) => {
        const { todo } = readAcceptBody(await readJson(request.request));
        if (request.client !== "page") throw notAPerson();
        const { track } = found(request);
        const text = track.todos.find(({ id }) => id === todo)?.text;
        const { acceptProofs, readProofs } = await import("../../../checks/proofs.ts");
        const last = readProofs(context.home.path, track.session).findLast(
          ({ id, todo: proven }) => id.agent === track.agent && proven && proven.text === text,
        );
        if (!last || last.warnings.length === 0)
          throw new HttpError(422, "no_warnings", "The last run of this todo has no warnings.");
        await acceptProofs(context.home, [last]);
        sendJson(request.response, 200, {});
      }),
    },
  ];
}

function notAPerson(): HttpError {
  return new HttpError(
    403,
    "not_a_person",
    "Only a signed-in page approves checks and accepts warnings. On a terminal, use `waymark check` or `waymark verify --accept`.",
  );
}

/** The directory of a session, if it is on this machine. */
function directoryOf({ track, machine }: MergedTrack): string {
  if (machine !== undefined)
    throw new HttpError(409, "other_machine", `This session runs on ${machine}. Verify it there.`);
  const { cwd } = track;
  if (cwd === undefined)
    throw new HttpError(409, "no_directory", "The directory of this session is not known.");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new HttpError(409, "no_directory", `The directory ${cwd} does not exist.`);
  return cwd;
}

function todosOf({ track }: MergedTrack, id: string | undefined): readonly Todo[] {
  const todos = track.todos.filter((todo) =>
    id === undefined ? todo.status === "completed" : todo.id === id,
  );
  if (todos.length > 0) return todos;
  throw id === undefined
    ? new HttpError(422, "no_todos", "No todo of this session is completed.")
    : new HttpError(422, "not_found", "This todo was removed.");
}

async function runnable(list: CheckList, name: string | undefined): Promise<KnownCheck> {
  const { chooseCheck } = await import("../../../checks/verify.ts");
  const { mayRun } = await import("../../../checks/checks.ts");
  if (list.checks.length === 0)
    throw new HttpError(
      422,
      "no_check",
      "Can't verify: no check command. Add one or ask for proof.",
    );
  const check = await refusing(async () => chooseCheck(list, name), "choose_check");
  if (mayRun(check)) return check;
  const why = check.trust === "changed" ? "changed since you trusted it" : "is not trusted";
  throw new HttpError(422, "untrusted", `The check ${check.name} of ${check.file} ${why}.`);
}

/** Answers with 422 what a command line would refuse. */
async function refusing<T>(act: () => Promise<T>, code = "invalid_check"): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommandError)
      throw new HttpError(422, code, error.message);
    throw error;
  }
}

async function checksOf(context: ChecksContext, cwd: string): Promise<ChecksResponse> {
  const { listChecks } = await import("../../../checks/checks.ts");
  const { suggestCheck } = await import("../../../checks/suggest-check.ts");
  const { place, checks, problems } = await refusing(() => listChecks(context, cwd));
  const suggestion = suggestCheck(place.root);
  return {
    root: place.root,
    isRepository: place.repository !== undefined,
    checks: checks.map(formOf),
    problems,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function formOf(check: KnownCheck): CheckForm {
  const { name, command, directory, timeoutMs, trust, file, hash, lastRun } = check;
  return {
    name,
    command,
    directory,
    timeoutMs,
    trust,
    ...(file !== undefined && { file }),
    hash,
    ...(lastRun && {
      lastRun: {
        ok: lastRun.ok,
        exitCode: lastRun.exitCode,
        ...(lastRun.ended && { ended: lastRun.ended }),
        at: lastRun.at,
        durationMs: lastRun.durationMs,
      },
    }),
  };
}
