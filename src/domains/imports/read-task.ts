import type { ImportFile, Reading } from "./reading.ts";
import type { ReadOptions } from "./reading-builder.ts";
import type { ImportSource } from "./sources.ts";

/** Messages between the server and the thread that reads a file. */

export interface ReadTask {
  readonly source: ImportSource;
  readonly files: readonly ImportFile[];
  readonly options: ReadOptions;
}

export type ReadAnswer =
  | { readonly kind: "read"; readonly reading: Reading }
  | { readonly kind: "unreadable"; readonly reason: string };
