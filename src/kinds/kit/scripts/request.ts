import { Type } from "typebox";
import { Described, OrNull } from "../../../platform/http/schema.ts";
import { findFileFaults, findPathFault, maxFilesBytes } from "../../../sandbox/files.ts";
import type { ScriptFile, ScriptRequest } from "../../../sandbox/script-run.ts";
import type { Fault, KindFields } from "../definition.ts";
import type { VerdictSettings } from "../verdict.ts";

export const maxScriptBytes = 512 * 1_024;
const maxFiles = 100;
const maxPathLength = 1_000;

/**
 * Maximum size of a request body, large enough for the longest script with its files and some JSON
 * escapes.
 */
export const maxBodyBytes = 4 * 1_024 * 1_024;

interface OwnSettings {
  readonly script: string;
  readonly scriptPath: string | null;
  readonly dependencies: readonly ScriptFile[];
}

export interface ScriptSettings extends VerdictSettings, OwnSettings {
  readonly runtimeId: string | null;
}

/**
 * Allowed check intervals in minutes. Shorter intervals are not allowed, because sandboxes are
 * expensive.
 */
const frequencies = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];

const Script = Type.String({
  description:
    "JavaScript or TypeScript. A script that imports `@playwright/test` runs with its test runner, " +
    "any other with Node.js. Variables are in its environment. At most 512 KiB.",
  minLength: 1,
  maxLength: maxScriptBytes,
  examples: ["fetch('https://api.example.com/health')"],
});
const pathMeaning =
  "Where the script is among its files, for relative imports; `null` if it needs no path.";
export const ScriptPath = Type.String({ maxLength: maxPathLength });
export const filesMeaning =
  "Files that the script imports or reads. At most 100 files and 2 MiB in all.";
const File = Type.Object(
  {
    path: Type.String({
      description: "Relative path with slashes, without `..`.",
      minLength: 1,
      maxLength: maxPathLength,
      examples: ["lib/login.ts"],
    }),
    content: Type.String({
      description: "The text of the file.",
      maxLength: maxFilesBytes,
      examples: ["export const user = 'ada'\n"],
    }),
  },
  { title: "ScriptFile" },
);
export const Files = Type.Array(File, { maxItems: maxFiles });

const optional = {
  scriptPath: Described(Type.Optional(OrNull(ScriptPath)), pathMeaning, null),
  dependencies: Described(Type.Optional(OrNull(Files)), filesMeaning, []),
};

export const fields: KindFields = {
  target: {
    create: { script: Script, ...optional },
    change: { script: Type.Optional(Script), ...optional },
    shown: {
      script: Script,
      scriptPath: Described(OrNull(ScriptPath), pathMeaning, null),
      dependencies: Described(Files, filesMeaning, []),
    },
  },
  settings: {
    frequency: Type.Optional(
      Type.Integer({ description: "Minutes between runs.", examples: [10], enum: frequencies }),
    ),
  },
};

interface OwnInput {
  readonly script?: string;
  readonly scriptPath?: string | null;
  readonly dependencies?: readonly ScriptFile[] | null;
}

export function mergeSettings(before: OwnSettings | null, change: OwnInput): OwnSettings {
  const { script = before?.script ?? "" } = change;
  const { scriptPath = before?.scriptPath ?? null } = change;
  const { dependencies = before?.dependencies ?? [] } = change;
  return { script, scriptPath: scriptPath || null, dependencies: dependencies ?? [] };
}

export function findFaults({ script, scriptPath, dependencies }: OwnSettings): Fault[] {
  const faults: Fault[] = [];
  if (script.trim() === "") faults.push({ key: "script", rule: "is required" });
  if (Buffer.byteLength(script) > maxScriptBytes) {
    faults.push({ key: "script", rule: "must be at most 512 KiB" });
  }
  const rule = scriptPath === null ? null : findPathFault(scriptPath);
  if (rule !== null) faults.push({ key: "scriptPath", rule });
  return [...faults, ...findFileFaults(dependencies, scriptPath)];
}

const timeoutMs = 240_000;
/**
 * Additional time for waiting in the runner's queue, and for sending the request and the result.
 */
const slackMs = 30_000;

export const deadlineMs = () => timeoutMs + slackMs;

export function toRequest(settings: ScriptSettings): ScriptRequest {
  const { runtimeId: runtime = null, script, scriptPath, dependencies } = settings;
  return { runtime, script, scriptPath, dependencies, timeoutMs };
}

/**
 * Returns the part of a request that is sent back with the result. Omits the script, its files and
 * its reference images, because these would fill the queues for results.
 */
export function shortenRequest(request: ScriptRequest): ScriptRequest {
  const { snapshots: _snapshots, ...others } = request;
  return { ...others, script: "", dependencies: [] };
}

const origin = /\bhttps?:\/\/[\w.:[\]-]+/;

/**
 * Returns the first origin in the text of the script, because most scripts start with their main
 * URL. Without an origin, returns the path of the script.
 */
export function writeTarget({ script, scriptPath }: OwnSettings): string {
  return origin.exec(script)?.[0] ?? scriptPath ?? "script";
}

/** Validates the request fields that a probe relies on. */
export function isScriptRequest(value: unknown): value is ScriptRequest {
  if (typeof value !== "object" || value === null) return false;
  const request = value as Partial<Record<keyof ScriptRequest, unknown>>;
  const { runtime, script, scriptPath, dependencies, timeoutMs: timeout } = request;
  if (!(runtime === null || typeof runtime === "string") || typeof script !== "string")
    return false;
  if (!(scriptPath === null || typeof scriptPath === "string")) return false;
  if (!Array.isArray(dependencies) || !dependencies.every(isFile)) return false;
  const isTimed = typeof timeout === "number" && timeout > 0 && timeout <= timeoutMs;
  return isTimed && findFaults({ script, scriptPath, dependencies }).length === 0;
}

function isFile(value: unknown): value is ScriptFile {
  const { path, content } = (value ?? {}) as Partial<Record<keyof ScriptFile, unknown>>;
  return typeof path === "string" && typeof content === "string";
}
