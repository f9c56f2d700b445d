import { setFlagsFromString } from "node:v8";

/** The first turns of all loops load code too. */
const loadingMs = 5_000;

/**
 * Loading code makes V8 double the space for young objects until it has taken fifty megabytes, and
 * it gives none of them back. So that space stays as it is while the server starts. Call what this
 * returns once it has started: from then on the space grows with the load, which it is for.
 */
export function keepYoungHeapSmall(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => {
    setTimeout(() => setFlagsFromString("--semi-space-growth-factor=2"), loadingMs).unref();
  };
}
