/** Entry point of the worker thread that filters one style sheet at a time. */
import { parentPort } from "node:worker_threads";
import { filterCustomCss } from "./filter.ts";
import type { Sheet } from "./values.ts";

parentPort?.on("message", ({ source, scope }: Sheet) =>
  parentPort?.postMessage(filterCustomCss(source, scope)),
);
parentPort?.postMessage("ready");
