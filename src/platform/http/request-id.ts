import { randomBytes } from "node:crypto";

/** Unique over restarts and servers, and cheap: a random stem per process and a counter. */
export function createRequestIds(): () => string {
  const stem = randomBytes(6).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${stem}-${count.toString(36)}`;
  };
}
