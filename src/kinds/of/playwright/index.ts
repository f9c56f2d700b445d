import { Type } from "typebox";
import type { ScriptMeasurement, ScriptRequest } from "../../../sandbox/script-run.ts";
import { createKind } from "../../kit/create-kind.ts";
import { createScriptParts } from "../../kit/scripts/create-script-kind.ts";
import type { ScriptReason } from "../../kit/scripts/judge.ts";
import { buildPageDocument, createPageDocumentSchema } from "../../kit/scripts/page-document.ts";
import { field, textOrNull } from "../../kit/tool-fields.ts";
import { suiteCode } from "./code.ts";
import {
  deadlineMs,
  fields,
  findFaults,
  mergeSettings,
  type SuiteSettings,
  toRequest,
  writeTarget,
} from "./request.ts";
import { defaultCommand } from "./test-command.ts";

const aCheck = "a Playwright suite check";
const {
  snippets: _snippets,
  maxBodyBytes: _maxBodyBytes,
  agent,
  ...shared
} = createScriptParts(aCheck);

/** Kind of checks that run a project of Playwright tests. Clients upload the project's code. */
export const playwright = createKind<SuiteSettings, ScriptRequest, ScriptMeasurement, ScriptReason>(
  {
    ...shared,
    type: "PLAYWRIGHT",
    analyticsPath: "playwright-checks",
    fields,
    // Suites do not use `runtimeId`: `engine` and `engineVersion` select their runtime.
    hiddenFields: ["runtimeId"],
    ownFieldNames: ["codeBundlePath", "testCommand", "installCommand"],
    mergeSettings,
    findFaults,
    code: suiteCode,
    target: writeTarget,
    deadlineMs,
    toRequest,
    words: { ...shared.words, verb: "runs the tests of" },
    DocumentSchema: createPageDocumentSchema(aCheck),
    document: buildPageDocument,
    failsWhen: "a test fails or the suite exceeds a limit of the sandbox",
    operations: {
      create:
        "`name` is required; all other fields have defaults. Upload the code first. The first run " +
        "starts at once.",
      example: { testCommand: `${defaultCommand} --project chromium` },
    },
    agent: {
      ...agent,
      names: ["playwright suite", "suite"],
      checkFields: {
        testCommand: field(
          Type.String({ description: "the command" }),
          ({ testCommand }) => testCommand ?? defaultCommand,
        ),
        codeBundlePath: textOrNull("key of its code", ({ codeBundlePath }) => codeBundlePath),
      },
    },
  },
);
