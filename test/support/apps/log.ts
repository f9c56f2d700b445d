import { createLog, type Log } from "../../../src/platform/log.ts";

/** Keeps what was logged, so that a test can ask what was said and what was not. */
export function captureLog(): { readonly log: Log; readonly text: () => string } {
  const lines: string[] = [];
  const log = createLog("trace", "json", { write: (line: string) => void lines.push(line) });
  return { log, text: () => lines.join("") };
}
