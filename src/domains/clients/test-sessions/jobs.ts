import { KnownError } from "../../../platform/errors.ts";
import { parseClientCheck, type UnsavedCheck } from "../../checks/index.ts";

/** A check as the command line sends it for a test, with what identifies its run. */
export interface SentJob {
  readonly logicalId: string;
  readonly filePath?: string | null;
  readonly sourceInfo: { readonly checkRunSuiteId: string; readonly checkRunId: string };
  readonly group?: object | null;
  readonly [field: string]: unknown;
}

/** A check to run once; `fault` if it cannot be run. */
export interface TestJob {
  /** Key of the client's maps: the logical id, or the id of an existing check. */
  readonly key: string;
  readonly suiteId: string;
  readonly runId: string;
  readonly name: string;
  readonly checkType: string;
  readonly checkId: string | null;
  readonly filePath: string | null;
  readonly tried: UnsavedCheck | { readonly existing: string } | { readonly fault: string };
}

/** References to resources of the project, which need not exist in the account yet. */
const references = ["groupId", "triggerIncident", "alertChannelSubscriptions", "privateLocations"];

function tryToParse(job: SentJob): TestJob["tried"] {
  const { group, ...fields } = job;
  const own = Object.entries(fields).filter(([name]) => !references.includes(name));
  try {
    const check = parseClientCheck(Object.fromEntries(own));
    return { ...check, changed: null, ...(group && { group }) };
  } catch (error) {
    if (error instanceof KnownError) return { fault: error.message };
    throw error;
  }
}

function readText(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value.slice(0, 255) : otherwise;
}

/** One faulty check does not prevent the others from running. */
export function parseJob(job: SentJob): TestJob {
  const { logicalId, filePath = null, sourceInfo } = job;
  return {
    key: logicalId,
    suiteId: sourceInfo.checkRunSuiteId,
    runId: sourceInfo.checkRunId,
    name: readText(job.name, logicalId),
    checkType: readText(job.checkType, "unknown"),
    checkId: null,
    filePath,
    tried: tryToParse(job),
  };
}
