import catalogue from "./catalogue.json" with { type: "json" };

export const runtimeStages = [
  "ALPHA",
  "BETA",
  "CURRENT",
  "DEPRECATED",
  "REMOVED",
  "STABLE",
] as const;
export type RuntimeStage = (typeof runtimeStages)[number];

export interface Runtime {
  readonly name: string;
  readonly stage: RuntimeStage;
  readonly nodeJsVersion: string;
  readonly multiStepSupport: boolean;
  readonly description: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Month/day/year; only where an end is known. */
  readonly runtimeEndOfLife?: string;
}

/** JSON modules are typed by their text, which knows a stage only as a string. */
function asRuntimes(listed: typeof catalogue): readonly Runtime[] {
  return listed as unknown as readonly Runtime[];
}

/** Newest first. They are part of the product, not data of a user, so they live in the code. */
export const runtimes = asRuntimes(catalogue);
