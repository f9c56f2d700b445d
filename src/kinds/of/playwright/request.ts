import { normalize } from "node:path/posix";
import { Type } from "typebox";
import { Described, OneOf, OrNull } from "../../../platform/http/schema.ts";
import { findPathFault } from "../../../sandbox/files.ts";
import type { ScriptRequest, Suite } from "../../../sandbox/script-run.ts";
import { readDigest } from "../../../sandbox/suites/suite.ts";
import type { Fault, KindFields } from "../../kit/definition.ts";
import { fields as scriptFields } from "../../kit/scripts/request.ts";
import type { VerdictSettings } from "../../kit/verdict.ts";
import { defaultCommand, parseTestCommand } from "./test-command.ts";

const engines = ["node", "bun"] as const;

/** Fields that only this kind of check has. */
interface OwnSettings {
  readonly codeBundlePath: string | null;
  readonly cacheHash: string | null;
  readonly browsers: readonly string[];
  readonly playwrightVersion: string | null;
  readonly testCommand: string | null;
  readonly installCommand: string | null;
  readonly workingDir: string | null;
  readonly engine: (typeof engines)[number] | null;
  readonly engineVersion: string | null;
}

export interface SuiteSettings extends VerdictSettings, OwnSettings {}

const Text = (maxLength: number, description: string, example: string) =>
  Described(Type.Optional(OrNull(Type.String({ maxLength }))), description, example);

const ownFields = {
  codeBundlePath: Text(
    128,
    "Key of the uploaded code, a compressed tar archive with `package.json`, `package-lock.json`, " +
      "Playwright's configuration and the tests; `null` if there is none yet, and runs fail.",
    "bundle/1f2e…",
  ),
  cacheHash: Text(128, "Packages are installed again when it changes.", "6330ee"),
  browsers: Described(
    Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 20 })),
    "Browsers of the tests, as clients report them. Tests run in Chromium.",
    ["chromium"],
  ),
  playwrightVersion: Text(
    50,
    "Version of Playwright, as clients report it. The lock file decides.",
    "1.51.1",
  ),
  testCommand: Text(
    4_000,
    `\`${defaultCommand}\` with its options; \`null\` for all tests. No shell runs it.`,
    `${defaultCommand} --project chromium`,
  ),
  installCommand: Text(
    1_000,
    "`npm ci` or `npm install`; `null` for the same. Packages are installed with " +
      "`npm ci --ignore-scripts` from the lock file.",
    "npm ci",
  ),
  workingDir: Text(
    1_000,
    "Folder of the code in which the tests run; `null` for the topmost.",
    ".",
  ),
  engine: Described(
    Type.Optional(OrNull(OneOf(engines))),
    "What runs the tests; `null` for Node.js. Runs with Bun fail, as it is not available.",
    "node",
  ),
  engineVersion: Text(20, "Its version; `null` for the usual one.", "22"),
};

const toShown = (schema: Type.TSchema) => Type.Required(Type.Object({ schema })).properties.schema;

export const fields: KindFields = {
  target: {
    create: ownFields,
    change: ownFields,
    shown: Object.fromEntries(
      Object.entries(ownFields).map(([name, schema]) => [name, toShown(schema)]),
    ),
  },
  ...(scriptFields.settings !== undefined && { settings: scriptFields.settings }),
};

export function mergeSettings(
  before: OwnSettings | null,
  change: Partial<OwnSettings>,
): OwnSettings {
  const pick = <Name extends keyof OwnSettings>(name: Name, fallback: OwnSettings[Name]) =>
    (change[name] === undefined ? before?.[name] : change[name]) ?? fallback;
  return {
    codeBundlePath: pick("codeBundlePath", null),
    cacheHash: pick("cacheHash", null),
    browsers: pick("browsers", []),
    playwrightVersion: pick("playwrightVersion", null),
    testCommand: pick("testCommand", null),
    installCommand: pick("installCommand", null),
    workingDir: pick("workingDir", null),
    engine: pick("engine", null),
    engineVersion: pick("engineVersion", null),
  };
}

const installCommands =
  /^\s*npm\s+(?:ci|i|install|clean-install)(?:\s+--?[\w-]+(?:=[\w./:@-]+)?)*\s*$/;

export function findFaults(settings: OwnSettings): Fault[] {
  const { codeBundlePath, testCommand, installCommand, workingDir } = settings;
  const faults: Fault[] = [];
  if (codeBundlePath !== null && readDigest(codeBundlePath) === null) {
    faults.push({ key: "codeBundlePath", rule: "must be the key of an uploaded bundle" });
  }
  const parsed = parseTestCommand(testCommand ?? defaultCommand);
  if ("rule" in parsed) faults.push({ key: "testCommand", rule: parsed.rule });
  else if (parsed.configPath !== null && findPathFault(toPath(parsed.configPath)) !== null) {
    faults.push({ key: "testCommand", rule: "must name a configuration inside of the code" });
  }
  if (installCommand !== null && !installCommands.test(installCommand)) {
    const rule =
      "must be `npm ci` or `npm install` with options; other installers are not supported";
    faults.push({ key: "installCommand", rule });
  }
  const folder = toPath(workingDir ?? "");
  const rule = folder === "" ? null : findPathFault(folder);
  if (rule !== null) faults.push({ key: "workingDir", rule });
  return faults;
}

/** Normalises the path of a folder: "./e2e/" becomes "e2e", and "." becomes an empty path. */
function toPath(text: string): string {
  const path = normalize(text === "" ? "." : text).replace(/\/$/, "");
  return path === "." ? "" : path;
}

const timeoutMs = 20 * 60_000;
/**
 * Additional time for installing packages, for waiting in a queue, and for sending the run order
 * and the result.
 */
const slackMs = 10 * 60_000;

export const deadlineMs = () => timeoutMs + slackMs;

export function toRequest(settings: SuiteSettings): ScriptRequest & { readonly suite: Suite } {
  const { codeBundlePath, cacheHash, workingDir, engine, engineVersion } = settings;
  const parsed = parseTestCommand(settings.testCommand ?? defaultCommand);
  const { values, configPath } = "rule" in parsed ? noCommand : parsed;
  const suite: Suite = {
    bundle: codeBundlePath,
    cacheHash: cacheHash ?? "",
    values,
    configPath: configPath === null ? null : toPath(configPath),
    workingDir: toPath(workingDir ?? ""),
    engine: engine ?? "node",
    engineVersion,
  };
  const noScript = { runtime: null, script: "", scriptPath: null, dependencies: [] };
  return { ...noScript, timeoutMs, suite };
}

const noCommand = { values: [], configPath: null };

/**
 * Formats the target as command and folder, because the key of the code means nothing to people.
 */
export function writeTarget({ workingDir, testCommand }: SuiteSettings): string {
  const folder = toPath(workingDir ?? "");
  const command = testCommand ?? defaultCommand;
  return folder === "" ? command : `${command} in ${folder}`;
}

/** Validates the request fields that a probe relies on. */
export function isSuiteRequest(value: unknown): value is ScriptRequest & { readonly suite: Suite } {
  const { suite, timeoutMs: timeout } = (value ?? {}) as Partial<ScriptRequest>;
  if (typeof suite !== "object" || suite === null) return false;
  const { bundle, cacheHash, values, configPath, workingDir, engine, engineVersion } = suite;
  const areTexts = typeof cacheHash === "string" && typeof workingDir === "string";
  if (!areTexts || !isTextOrNull(bundle) || !isTextOrNull(engineVersion)) return false;
  if (!(isTextOrNull(configPath) && engines.some((one) => one === engine))) return false;
  const areWords = Array.isArray(values) && values.every((word) => typeof word === "string");
  const paths = [workingDir, configPath ?? ""].filter((path) => path !== "");
  const areInside = paths.every((path) => findPathFault(path) === null);
  const isTimed = typeof timeout === "number" && timeout > 0 && timeout <= timeoutMs;
  return areWords && areInside && isTimed;
}

const isTextOrNull = (value: unknown) => value === null || typeof value === "string";
