/** The thread in which style sheets are filtered: one sheet in, what may stay of it out. */
import { parentPort } from "node:worker_threads";
import { filterCustomCss } from "./filter.ts";
import type { Sheet } from "./sheet.ts";

parentPort?.on("message", ({ source, scope }: Sheet) =>
  parentPort?.postMessage(filterCustomCss(source, scope)),
);
parentPort?.postMessage("ready");
