import type { ChecksRequest, VerifyBody } from "../../../core/checks/wire.ts";
import { isRecord } from "../../../core/values.ts";
import { fits, isKey, isText } from "../fields.ts";
import { badInput } from "../routes.ts";

/** Request bodies of the routes of checks. */

export function readChecksRequest(body: unknown): ChecksRequest {
  if (!isRecord(body)) throw badInput("The body must be a JSON object.");
  const { action, ...fields } = body;
  const isValid =
    (action === "add" &&
      fits(fields, { command: isText, name: isText, timeout: isText }, ["name", "timeout"])) ||
    (action === "trust" && fits(fields, { name: isText, hash: isKey })) ||
    (action === "remove" && fits(fields, { name: isText }));
  if (!isValid)
    throw badInput(
      "The body must be { action: add, command, name?, timeout? }, { action: trust, name, hash } or { action: remove, name }.",
    );
  return body as unknown as ChecksRequest;
}

export function readVerifyBody(body: unknown): VerifyBody {
  if (!fits(body, { todo: isText, check: isText }, ["todo", "check"]))
    throw badInput("The body must be { todo?, check? }: the id of a todo and the name of a check.");
  return body as VerifyBody;
}

export function readAcceptBody(body: unknown): { readonly todo: string } {
  if (!fits(body, { todo: isText }))
    throw badInput("The body must be { todo } with the id of a todo.");
  return body as { todo: string };
}
