import { readFileSync, statSync } from "node:fs";
import * as yaml from "../../../platform/yaml.ts";
import { type ImportFile, UnreadableFile } from "../reading.ts";

/** Maximum size of a text file, in bytes. */
const maxTextBytes = 64 * 1_048_576;

export function requireOneFile(files: readonly ImportFile[]): ImportFile {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) {
    throw new UnreadableFile("This source needs exactly one file.");
  }
  return file;
}

/** Decodes UTF-8 text, with or without a byte order mark. Throws if it is invalid or too large. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length > maxTextBytes) {
    throw new UnreadableFile(`The file is larger than ${maxTextBytes / 1_048_576} MiB.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile("The file is not text in UTF-8.");
  }
}

/** Rejects a file that is too large before reading the file into memory. */
export function assertTextSize({ path }: ImportFile): void {
  if (statSync(path).size > maxTextBytes) {
    throw new UnreadableFile(`The file is larger than ${maxTextBytes / 1_048_576} MiB.`);
  }
}

/** Rejects a YAML value with too many nodes. An alias counts as all nodes that it refers to. */
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

/** Parses one YAML document with the limits of `platform/yaml.ts`. */
export function parseYaml(text: string, name: string): unknown {
  return nameFile(() => yaml.parseYaml(text), name);
}

/** Parses all YAML documents of a file, with the limits of `platform/yaml.ts`. */
export function parseYamlDocuments(text: string, name: string): unknown[] {
  return nameFile(() => yaml.parseYamlDocuments(text), name);
}

export function readTextFile(file: ImportFile): string {
  assertTextSize(file);
  return decodeText(readFileSync(file.path));
}
