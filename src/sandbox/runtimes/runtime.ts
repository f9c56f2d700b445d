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
  /** Date in the format month/day/year on which support ends; omitted if no date is known. */
  readonly runtimeEndOfLife?: string;
}

/** Casts the imported JSON, because TypeScript infers `stage` as a plain string. */
function asRuntimes(listed: typeof catalogue): readonly Runtime[] {
  return listed as unknown as readonly Runtime[];
}

/** All runtimes, newest first. The list is part of the product rather than user data. */
export const runtimes = asRuntimes(catalogue);

function findDefaultRuntime(): Runtime {
  const current = runtimes.find(({ stage }) => stage === "CURRENT");
  if (current === undefined) throw new Error("No runtime has the stage CURRENT.");
  return current;
}

/** Runtime of checks that specify no runtime. */
export const defaultRuntime = findDefaultRuntime();
