import { dirname, join } from "node:path/posix";
import { Type } from "typebox";
import { clipText } from "../../../platform/text/clip.ts";
import { formatMilliseconds } from "../../../platform/text/figures.ts";
import { type Runtime, runtimes } from "../../../sandbox/runtimes/runtime.ts";
import type {
  ScriptError,
  ScriptMeasurement,
  ScriptRequest,
  ScriptStep,
} from "../../../sandbox/script-run.ts";
import type { OwnAgent } from "../agent.ts";
import { createKind } from "../create-kind.ts";
import type { Fault, KindSnippets } from "../definition.ts";
import type { Kind, KindParts } from "../kind.ts";
import { beginning, field, maxShownLength, textOrNull } from "../tool-fields.ts";
import { decode, encode, figureBytes, readFigures } from "./codec.ts";
import { buildDocument, createDocumentSchema } from "./document.ts";
import { explain, judge, type ScriptReason } from "./judge.ts";
import { isScriptMeasurement, listFigures, samples } from "./measurement.ts";
import {
  deadlineMs,
  fields,
  findFaults,
  maxBodyBytes,
  mergeSettings,
  type ScriptSettings,
  toRequest,
  writeTarget,
} from "./request.ts";
import { texts } from "./texts.ts";

type ScriptKindParts = KindParts<ScriptSettings, ScriptRequest, ScriptMeasurement, ScriptReason>;

/** No default limits for the response time, because scripts set their own timeouts. */
const noLimits = { degradedMs: null, failingMs: null, highestMs: 300_000, areShown: false };

function findRuntimeFaults(
  { runtimeId }: Pick<ScriptSettings, "runtimeId">,
  canRunIn: (runtime: Runtime) => boolean,
): Fault[] {
  const chosen = runtimes.find(({ name }) => name === runtimeId);
  if (chosen === undefined || canRunIn(chosen)) return [];
  const usable = runtimes.filter(canRunIn).map(({ name }) => name);
  return [{ key: "runtimeId", rule: `must be a runtime for such checks: ${usable.join(", ")}` }];
}

const maxShown = 10;

const listTexts = (description: string) => Type.Array(Type.String(), { description });

const writeError = ({ file, line, message }: ScriptError) =>
  clipText(file === null ? message : `${file}:${line ?? "?"} ${message}`, maxShownLength);

const writeStep = ({ title, durationMs, error }: ScriptStep) =>
  `${clipText(title, 100)}: ${error === null ? "" : "failed after "}${formatMilliseconds(durationMs)}`;

/**
 * Fields of script checks that the AI agent receives. Texts are shortened to fit into the context
 * of a model.
 */
const scriptAgent: OwnAgent<ScriptSettings, ScriptRequest, ScriptMeasurement> = {
  checkFields: {
    script: beginning("beginning of the script", ({ script }) => script),
    files: field(listTexts("paths of its files"), ({ dependencies }) =>
      dependencies.slice(0, maxShown).map(({ path }) => path),
    ),
  },
  runFields: {
    end: textOrNull("how the script ended", ({ outcome }) =>
      outcome.kind === "measured" ? outcome.measurement.end : null,
    ),
    errors: field(listTexts("errors with their lines"), ({ outcome }) =>
      outcome.kind === "measured"
        ? outcome.measurement.errors.slice(0, maxShown).map(writeError)
        : [],
    ),
    steps: field(listTexts("steps with their durations"), ({ outcome }) =>
      outcome.kind === "measured"
        ? outcome.measurement.steps
            .filter(({ category }) => category === "step" || category === "test")
            .slice(0, maxShown)
            .map(writeStep)
        : [],
    ),
    logs: beginning("beginning of the logs", ({ outcome }) =>
      outcome.kind === "measured"
        ? outcome.measurement.logs.map(({ text }) => text).join("\n")
        : "",
    ),
  },
};

/** Adds snippets as files beside the script, in the folder `snippets`. */
const snippets: KindSnippets<ScriptRequest> = {
  listIds: () => [],
  listTexts: ({ script, dependencies }) => [script, ...dependencies.map(({ content }) => content)],
  add: (request, _byId, files) => {
    const folder = dirname(request.scriptPath ?? "script.js");
    const added = files.map(({ path, content }) => ({ path: join(folder, path), content }));
    const taken = new Set(request.dependencies.map(({ path }) => path));
    const missing = added.filter(({ path }) => !taken.has(path));
    return { ...request, dependencies: [...request.dependencies, ...missing] };
  },
};

/**
 * Returns the parts that all script kinds share. `aCheck` names a check of the kind with an
 * article, such as "a multi-step check".
 */
export function createScriptParts(
  aCheck: string,
  canRunIn: (runtime: Runtime) => boolean = () => true,
) {
  return {
    fields,
    maxBodyBytes,
    responseTimeLimits: noLimits,
    receivesAllVariables: true as const,
    mergeSettings,
    findFaults: (settings: ScriptSettings) => [
      ...findFaults(settings),
      ...findRuntimeFaults(settings, canRunIn),
    ],
    snippets,
    target: writeTarget,
    deadlineMs,
    toRequest,
    texts,
    isMeasurement: isScriptMeasurement,
    judge,
    samples,
    figures: listFigures,
    encode,
    decode,
    figureBytes,
    readFigures,
    words: { aCheck, verb: "runs a script against", responseTime: "duration" },
    DocumentSchema: createDocumentSchema(aCheck),
    document: buildDocument,
    explain,
    failsWhen: "its script fails or exceeds a limit of the sandbox",
    agent: scriptAgent,
  } satisfies Omit<ScriptKindParts, "type" | "operations">;
}

/** Parts that each script kind provides in addition to the shared parts. */
type OwnParts = Pick<
  ScriptKindParts,
  "type" | "path" | "analyticsPath" | "operations" | "agent" | "ownFieldNames"
> & {
  readonly aCheck: string;
  /** Returns whether checks of this kind can use a runtime. The default allows every runtime. */
  readonly canRunIn?: (runtime: Runtime) => boolean;
};

/** Creates a kind whose runs are scripts in a sandbox. */
export function createScriptKind({
  aCheck,
  agent,
  canRunIn,
  ...own
}: OwnParts): Kind<ScriptSettings, ScriptRequest, ScriptMeasurement, ScriptReason> {
  const shared = createScriptParts(aCheck, canRunIn);
  return createKind<ScriptSettings, ScriptRequest, ScriptMeasurement, ScriptReason>({
    ...shared,
    ...own,
    agent: { ...shared.agent, ...agent },
  });
}
