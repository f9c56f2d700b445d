import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Loads the Protobuf libraries on first use: they take 27 MB, and most servers need none of it. */
export function loadMessages(): typeof import("./messages.ts") {
  return load("./messages.ts");
}
