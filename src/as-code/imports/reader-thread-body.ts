import { parentPort } from "node:worker_threads";
import { type ImportFile, type Reading, UnreadableFile } from "./reading.ts";
import type { ReadOptions } from "./reading-builder.ts";
import { type ImportSource, readers } from "./sources.ts";

/** Messages between the server and the worker thread that reads a file. */

export interface ReadTask {
  readonly source: ImportSource;
  readonly files: readonly ImportFile[];
  readonly options: ReadOptions;
}

export type ReadAnswer =
  | { readonly kind: "read"; readonly reading: Reading }
  | { readonly kind: "unreadable"; readonly reason: string };

async function read({ source, files, options }: ReadTask): Promise<ReadAnswer> {
  try {
    return { kind: "read", reading: await readers[source](files, options) };
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: "unreadable", reason: error.message };
    throw error;
  }
}

parentPort?.on("message", async (task: ReadTask) => parentPort?.postMessage(await read(task)));
