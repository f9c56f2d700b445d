import { Type } from "typebox";
import { clipText } from "../../platform/text/clip.ts";
import { formatMilliseconds } from "../../platform/text/figures.ts";
import type { OwnAgent } from "../agent.ts";
import { beginning, field, maxShownLength, textOrNull } from "../tool-fields.ts";
import type { ScriptSettings } from "./request.ts";
import type { ScriptError, ScriptMeasurement, ScriptRequest, ScriptStep } from "./script-run.ts";

const maxShown = 10;

const listTexts = (description: string) => Type.Array(Type.String(), { description });

const writeError = ({ file, line, message }: ScriptError) =>
  clipText(file === null ? message : `${file}:${line ?? "?"} ${message}`, maxShownLength);

const writeStep = ({ title, durationMs, error }: ScriptStep) =>
  `${clipText(title, 100)}: ${error === null ? "" : "failed after "}${formatMilliseconds(durationMs)}`;

/** What the agent shows of scripts: texts that are short enough for the context of a model. */
export const scriptAgent: OwnAgent<ScriptSettings, ScriptRequest, ScriptMeasurement> = {
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
