import type { ImportSource } from "./sources.ts";

/** Names of the sources and what to upload, for people. */
export const sources: Readonly<
  Record<ImportSource, { readonly label: string; readonly files: string }>
> = {
  "uptime-kuma": { label: "Uptime Kuma", files: "kuma.db, or the JSON backup of version 1" },
};

export const importSources = Object.keys(sources) as ImportSource[];
