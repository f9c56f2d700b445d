import { randomBytes } from "node:crypto";

/**
 * Unique over restarts and servers, and cheap: a random stem per process and a counter. V8 writes a
 * text of up to twelve characters as one piece, and longer ones only when somebody reads them.
 */
export function createRequestIds(): () => string {
  const stem = randomBytes(5).toString("base64url");
  let count = 0;
  return () => {
    count += 1;
    return `${stem}-${count.toString(36)}`;
  };
}
