import { setFlagsFromString } from "node:v8";

/** The first turns of all loops load code too. */
const loadingMs = 5_000;

/**
 * Loading code makes V8 double the young generation up to fifty megabytes, which it never releases.
 * So its size is fixed while the server starts. Call the returned function after the start: from
 * then on it may grow with the load.
 */
export function keepYoungHeapSmall(): () => void {
  setFlagsFromString("--semi-space-growth-factor=1");
  return () => {
    setTimeout(() => setFlagsFromString("--semi-space-growth-factor=2"), loadingMs).unref();
  };
}
