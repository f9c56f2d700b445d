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
  /** Month/day/year; omitted if no end is known. */
  readonly runtimeEndOfLife?: string;
}

/** TypeScript infers the stage of a JSON module as a plain string, so a cast is needed. */
function asRuntimes(listed: typeof catalogue): readonly Runtime[] {
  return listed as unknown as readonly Runtime[];
}

/** All runtimes, newest first. They are part of the product rather than user data. */
export const runtimes = asRuntimes(catalogue);

function findDefaultRuntime(): Runtime {
  const current = runtimes.find(({ stage }) => stage === "CURRENT");
  if (current === undefined) throw new Error("No runtime has the stage CURRENT.");
  return current;
}

/** The runtime of checks that name none. */
export const defaultRuntime = findDefaultRuntime();
