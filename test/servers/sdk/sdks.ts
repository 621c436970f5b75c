import { beforeEach } from "vitest";
import { linkSdks } from "../../../scripts/link-sdks.mjs";
import { reasonAgainst } from "../../skipped.ts";

/** Why the tests with the downloaded SDKs are skipped, or an empty string. */
export const NO_SDKS = await reasonAgainst("SDKs", linkSdks);

/** Loads a downloaded SDK for the tests of a file, or skips them. Call it at the top level. */
export async function sdkForFile<Sdk>(load: () => Promise<Sdk>): Promise<Sdk> {
  beforeEach(({ skip }) => skip(NO_SDKS !== "", NO_SDKS));
  return NO_SDKS === "" ? load() : ({} as Sdk);
}
