import { parentPort } from "node:worker_threads";
import type { ReadAnswer, ReadTask } from "./read-task.ts";
import { UnreadableFile } from "./reading.ts";
import { readers } from "./sources.ts";

async function read({ source, files, options }: ReadTask): Promise<ReadAnswer> {
  try {
    return { kind: "read", reading: await readers[source](files, options) };
  } catch (error) {
    if (error instanceof UnreadableFile) return { kind: "unreadable", reason: error.message };
    throw error;
  }
}

parentPort?.on("message", async (task: ReadTask) => parentPort?.postMessage(await read(task)));
