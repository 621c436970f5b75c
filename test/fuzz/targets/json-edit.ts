import { json } from "../../../src/setup/edit/json-edit.ts";
import { fuzzEditor } from "../editor.ts";

export const fuzz = (bytes: Buffer): void => fuzzEditor(json, bytes.toString());
