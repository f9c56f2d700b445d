import { readFileSync } from "node:fs";
import * as yaml from "../../../platform/yaml.ts";
import { type ImportFile, UnreadableFile } from "../reading.ts";
import { assertTextSize, decodeText } from "./file-text.ts";

/** Rejects a value with too many parts, counted as if every alias were written out. */
export function assertSmall(value: unknown, name: string): void {
  nameFile(() => yaml.assertSmall(value), name);
}

function nameFile<Value>(parse: () => Value, name: string): Value {
  try {
    return parse();
  } catch (error) {
    throw error instanceof yaml.YamlFault ? new UnreadableFile(`${name} ${error.message}`) : error;
  }
}

/** Parses one YAML document within the limits of `platform/yaml.ts`. */
export function parseYaml(text: string, name: string): unknown {
  return nameFile(() => yaml.parseYaml(text), name);
}

/** Parses all documents of a file, which `---` separates, within the same limits. */
export function parseYamlDocuments(text: string, name: string): unknown[] {
  return nameFile(() => yaml.parseYamlDocuments(text), name);
}

export function readTextFile(file: ImportFile): string {
  assertTextSize(file);
  return decodeText(readFileSync(file.path));
}
