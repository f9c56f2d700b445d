/** The thread in which style sheets are filtered: one sheet in, what may stay of it out. */
import { parentPort } from "node:worker_threads";
import { filterCustomCss } from "./filter.ts";

parentPort?.on("message", (source: string) => parentPort?.postMessage(filterCustomCss(source)));
parentPort?.postMessage("ready");
