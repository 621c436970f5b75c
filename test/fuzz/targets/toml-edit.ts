import { toml } from "../../../src/setup/edit/toml-edit.ts";
import { fuzzEditor } from "../editor.ts";

export const fuzz = (bytes: Buffer): void => fuzzEditor(toml, bytes.toString());
