import { findFileFaults, findPathFault } from "../../../sandbox/files.ts";
import type { ScriptFile } from "../../../sandbox/script-run.ts";
import type { Fault, KindSnippets } from "../../kit/definition.ts";
import type { GroupScripts } from "../../kit/secrets.ts";

/** Setup and teardown scripts of an API check. */
export interface ScriptSettings {
  readonly setupSnippetId: number | null;
  readonly tearDownSnippetId: number | null;
  readonly localSetupScript: string | null;
  readonly localTearDownScript: string | null;
  /** Path of the setup script, from which its imports are resolved. By default `setup.js`. */
  readonly setupScriptPath?: string | null;
  readonly tearDownScriptPath?: string | null;
  /** Files that the setup script imports; absent if there are none, as in most checks. */
  readonly setupScriptDependencies?: readonly ScriptFile[] | null;
  readonly tearDownScriptDependencies?: readonly ScriptFile[] | null;
}

const scriptNames = [
  "setupSnippetId",
  "tearDownSnippetId",
  "localSetupScript",
  "localTearDownScript",
] as const;
const fileNames = [
  "setupScriptPath",
  "tearDownScriptPath",
  "setupScriptDependencies",
  "tearDownScriptDependencies",
] as const;

/**
 * Merges an update into stored script settings. An omitted field keeps its value. An empty path or
 * file list is left out of the result.
 */
export function mergeScripts(
  before: ScriptSettings | null,
  change: Partial<ScriptSettings>,
): ScriptSettings {
  const read = (name: keyof ScriptSettings) => {
    const value = change[name] === undefined ? before?.[name] : change[name];
    return value === "" || (Array.isArray(value) && value.length === 0) ? null : (value ?? null);
  };
  const files = fileNames.map((name) => [name, read(name)] as const);
  const all = [...scriptNames.map((name) => [name, read(name)] as const), ...files];
  const isKept = ([name, value]: (typeof all)[number]) =>
    value !== null || scriptNames.some((one) => one === name);
  // The cast is sound because every value comes from `before` or `change`, which have these types.
  return Object.fromEntries(all.filter(isKept)) as unknown as ScriptSettings;
}

export interface HookScript {
  readonly path: string;
  readonly content: string;
  /** Id of the snippet whose text the server puts into `content`. */
  readonly snippetId?: number;
}

/** The scripts of a request, each list in execution order. */
export interface ApiScripts {
  /** Id of the script runtime; `null` for the default runtime. */
  readonly runtime: string | null;
  /** Value of the variable `GROUP_BASE_URL`. */
  readonly baseUrl: string;
  readonly setup: readonly HookScript[];
  readonly tearDown: readonly HookScript[];
  /** Files that the scripts import. */
  readonly files: readonly ScriptFile[];
}

/** Time limit of each script. */
const scriptTimeoutMs = 15_000;
/** Time allowed for one phase (setup or teardown) to wait in the queue of the script runner. */
const queueMs = 20_000;

export const timeoutOfHook = (scripts: readonly HookScript[]) => scripts.length * scriptTimeoutMs;

interface Scripted extends ScriptSettings {
  readonly groupScripts?: GroupScripts;
  readonly runtimeId?: string | null;
}

export function hasScripts(settings: Scripted): boolean {
  return (
    settings.groupScripts !== undefined ||
    Boolean(settings.localSetupScript || settings.localTearDownScript) ||
    settings.setupSnippetId != null ||
    settings.tearDownSnippetId != null
  );
}

/** Returns the maximum time that the scripts may add to a run. */
export function scriptsMs(settings: Scripted): number {
  if (!hasScripts(settings)) return 0;
  const { setup, tearDown } = planScripts(settings);
  return timeoutOfHook([...setup, ...tearDown]) + 2 * queueMs;
}

/**
 * Lists the scripts of a run. The group's setup runs before the check's setup, and the group's
 * teardown runs after the check's teardown.
 */
export function planScripts(settings: Scripted): ApiScripts {
  const { groupScripts, setupScriptDependencies, tearDownScriptDependencies } = settings;
  const setup = settings.setupScriptPath || "setup.js";
  const tearDown = settings.tearDownScriptPath || "teardown.js";
  const files = [...(setupScriptDependencies ?? []), ...(tearDownScriptDependencies ?? [])];
  const taken = new Set([setup, tearDown, ...files.map(({ path }) => path)]);
  // The check's files keep their paths, because they import each other.
  const findFree = (path: string): string => (taken.has(path) ? findFree(`_${path}`) : path);
  return {
    runtime: settings.runtimeId ?? null,
    baseUrl: groupScripts?.baseUrl ?? "",
    setup: [
      ...toScripts(
        findFree("group-setup.js"),
        groupScripts?.setupSnippetId,
        groupScripts?.localSetupScript,
      ),
      ...toScripts(setup, settings.setupSnippetId, settings.localSetupScript),
    ],
    tearDown: [
      ...toScripts(tearDown, settings.tearDownSnippetId, settings.localTearDownScript),
      ...toScripts(
        findFree("group-teardown.js"),
        groupScripts?.tearDownSnippetId,
        groupScripts?.localTearDownScript,
      ),
    ],
    files: [...new Map(files.map((file) => [file.path, file])).values()],
  };
}

/**
 * Matches the file extension of a script, such as `.js` or `.mts`, or the end of a path that has
 * none.
 */
const extension = /(?:\.[cm]?[jt]s)?$/;

/**
 * Returns the scripts that a check or a group defines for one phase (setup or teardown): first the
 * snippet, then the local script. If both scripts had the same path, one file would replace the
 * other, so the path of the snippet gets a different ending.
 */
function toScripts(
  path: string,
  snippetId: number | null | undefined,
  script: string | null | undefined,
): HookScript[] {
  return [
    ...(snippetId == null
      ? []
      : [{ path: path.replace(extension, "-snippet.js"), content: "", snippetId }]),
    ...(script ? [{ path, content: script }] : []),
  ];
}

/** Finds files of the teardown script that would replace other files of the setup script. */
function findClashes(settings: ScriptSettings): Fault[] {
  const ofSetup = new Map(
    (settings.setupScriptDependencies ?? []).map(({ path, content }) => [path, content]),
  );
  return (settings.tearDownScriptDependencies ?? []).flatMap(({ path, content }, index) =>
    (ofSetup.get(path) ?? content) === content
      ? []
      : {
          key: `tearDownScriptDependencies.${index}.path`,
          rule: "must not be the path of another file of the setup script",
        },
  );
}

export function findScriptFaults(settings: ScriptSettings): Fault[] {
  const faults = (["setup", "tearDown"] as const).flatMap((phase): Fault[] => {
    const path = settings[`${phase}ScriptPath`] || null;
    const files = settings[`${phase}ScriptDependencies`] ?? [];
    const rule = path === null ? null : findPathFault(path);
    return [
      ...(rule === null ? [] : [{ key: `${phase}ScriptPath`, rule }]),
      ...findFileFaults(files, path, {
        list: `${phase}ScriptDependencies`,
        script: `${phase}ScriptPath`,
      }),
    ];
  });
  return [...faults, ...findClashes(settings)];
}

interface Requesting {
  readonly scripts?: ApiScripts;
}

const listAll = ({ scripts }: Requesting) => [
  ...(scripts?.setup ?? []),
  ...(scripts?.tearDown ?? []),
];

/** Creates the functions that list the snippets of a request and insert the snippets' text. */
export const createSnippets = <Request extends Requesting>(): KindSnippets<Request> => ({
  listIds: (request) => listAll(request).flatMap(({ snippetId }) => snippetId ?? []),
  listTexts: (request) => [
    ...listAll(request).map(({ content }) => content),
    ...(request.scripts?.files ?? []).map(({ content }) => content),
  ],
  add: (request, byId, files) => {
    const { scripts } = request;
    if (scripts === undefined) return request;
    const fill = (one: HookScript): HookScript =>
      one.snippetId === undefined
        ? one
        : { path: one.path, content: byId.get(one.snippetId) ?? "" };
    return {
      ...request,
      scripts: {
        ...scripts,
        setup: scripts.setup.map(fill),
        tearDown: scripts.tearDown.map(fill),
        files: [...scripts.files, ...files],
      },
    };
  },
});

const maxScripts = 4;
const maxOrderBytes = 8 * 2 ** 20;

/** Validates the scripts that a server sent, because it may run another version of Vedette. */
export function isApiScripts(value: unknown): value is ApiScripts {
  if (typeof value !== "object" || value === null) return false;
  const { runtime, baseUrl, setup, tearDown, files } = value as Partial<ApiScripts>;
  const isFile = (one: unknown): one is ScriptFile => {
    const { path, content } = (one ?? {}) as Partial<ScriptFile>;
    const isPath = typeof path === "string" && findPathFault(path) === null;
    return isPath && typeof content === "string";
  };
  const lists: readonly unknown[] = [setup, tearDown, files];
  return (
    (runtime === null || typeof runtime === "string") &&
    typeof baseUrl === "string" &&
    lists.every((list) => Array.isArray(list) && list.every(isFile)) &&
    [setup, tearDown].every((list) => (list?.length ?? 0) <= maxScripts) &&
    [...(files ?? []), ...(setup ?? []), ...(tearDown ?? [])].reduce(
      (sum, { content }) => sum + content.length,
      0,
    ) <= maxOrderBytes
  );
}
