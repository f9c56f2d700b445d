import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImportFile } from "../../../src/as-code/imports/reading.ts";

/** Fails if a value differs from a stored file. With `UPDATE_GOLDEN=1`, writes the file instead. */
export function assertGolden(name: string, value: unknown): void {
  const file = new URL(`./golden/${name}.json`, import.meta.url);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, text);
  assert.ok(existsSync(file), `there is no golden file ${name}; run with UPDATE_GOLDEN=1`);
  assert.deepEqual(JSON.parse(text), JSON.parse(readFileSync(file, "utf8")));
}

/** Writes files into a temporary folder, which is deleted after `work` has ended. */
export async function withFiles<Value>(
  contents: Readonly<Record<string, string | Uint8Array>>,
  work: (files: readonly ImportFile[], folder: string) => Value | Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-import-test-"));
  try {
    const files = Object.entries(contents).map(([name, content], index) => {
      const path = join(folder, `file-${index}`);
      writeFileSync(path, content);
      return { name, path };
    });
    return await work(files, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
