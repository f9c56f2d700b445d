import { statSync } from "node:fs";
import { type ImportFile, UnreadableFile } from "../reading.ts";

/** Maximum size of a file that is read as text, in bytes. */
export const maxTextBytes = 64 * 1_048_576;

export function requireOneFile(files: readonly ImportFile[]): ImportFile {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) {
    throw new UnreadableFile("This source needs exactly one file.");
  }
  return file;
}

/** Decodes UTF-8, with or without a byte order mark. */
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

/** Rejects a file that is too large before it is read into memory. */
export function assertTextSize({ path }: ImportFile): void {
  if (statSync(path).size > maxTextBytes) {
    throw new UnreadableFile(`The file is larger than ${maxTextBytes / 1_048_576} MiB.`);
  }
}
