import type { AwayResponse, ReportLinkResponse } from "../../../core/wire.ts";
import { call } from "./api.ts";

/** The counts since a time, in milliseconds. */
export async function fetchAway(since: number): Promise<AwayResponse> {
  return (await call(`/api/away?since=${since}`)) as AwayResponse;
}

/** Opens the report since a time in this tab. */
export async function openReport(since: number): Promise<void> {
  const { path } = (await call(`/api/report/link?since=${since}`, {
    method: "POST",
  })) as ReportLinkResponse;
  location.assign(path);
}
