import { Type } from "typebox";
import { BoundedMap } from "../../../platform/bounded-map.ts";
import type { ScriptMeasurement, ScriptRequest } from "../../../sandbox/script-run.ts";
import { readArchive } from "../../../sandbox/suites/archive.ts";
import { explainForeignLock } from "../../../sandbox/suites/suite.ts";
import { createKind } from "../../kit/create-kind.ts";
import type { KindCode } from "../../kit/definition.ts";
import { createScriptParts } from "../../kit/scripts/create-script-kind.ts";
import type { ScriptReason } from "../../kit/scripts/judge.ts";
import { buildPageDocument, createPageDocumentSchema } from "../../kit/scripts/page-document.ts";
import { field, textOrNull } from "../../kit/tool-fields.ts";
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

/**
 * Cache of validation results by key, because every deployment sends the keys of all its suites
 * again.
 */
const known = new BoundedMap<string, string | null>(500);

/**
 * Returns why the packages of uploaded code can never be installed; `null` if no reason is known.
 * Called on deployment, so that the error is reported before the first run.
 */
async function findFault(key: string, load: () => Promise<Buffer | null>): Promise<string | null> {
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const content = await load();
  if (content === null) return null;
  const archive = await readArchive(content);
  const paths = "fault" in archive ? [] : archive.files.map(({ path }) => path);
  const explained = explainForeignLock(paths);
  const rule = explained && `names code that cannot run: ${explained.replace(/\.$/, "")}`;
  known.set(key, rule);
  return rule;
}

/** Describes the uploaded code of test suites. */
const suiteCode: KindCode<SuiteSettings> = {
  field: "codeBundlePath",
  path: "$.codeBundlePath",
  keys: ({ codeBundlePath }) => (codeBundlePath === null ? [] : [codeBundlePath]),
  findFault,
};

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
