/** Commands `vedette plan`, `diff`, `apply` and `export`, which manage an account with files. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  countActions,
  createPaint,
  type ExportedProject,
  hasChanges,
  maxFileBytes,
  type ProjectFiles,
  readProjectFiles,
  type ShownPlan,
  type SourceFile,
  writeDiff,
  writePlan,
  writeProjectFile,
} from "../as-code/projects/index.ts";
import { ExplainedError, readCode } from "../platform/errors.ts";
import { callServer, explainAnswer, type ServerTarget, toJsonUpload } from "./server-call.ts";

export interface PlanOptions {
  /** Whether to delete resources that belong to the project but are not in its files. */
  readonly prune: boolean;
  readonly json: boolean;
  /** Whether to apply the plan without asking for confirmation. */
  readonly yes: boolean;
}

/** Interface to the process that runs a command: environment, terminal and output. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  readonly hasColors: boolean;
  readonly write: (text: string) => void;
  readonly writeNote: (text: string) => void;
  readonly confirm: (question: string) => Promise<boolean>;
}

/**
 * Exit codes of `plan` and `diff`, for use in pipelines. If the command fails, its exit code is 1.
 */
export const exitCodes = { noChange: 0, changes: 2 } as const;

const maxFiles = 500;
const fileNames = /\.(?:ya?ml|json)$/i;

async function listFolder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && fileNames.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function readSource(path: string): Promise<SourceFile[]> {
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) {
      throw new ExplainedError(`${path} is larger than ${maxFileBytes / 1_048_576} MiB.`);
    }
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
    return [{ name: path, text }];
  } catch (error) {
    if (error instanceof ExplainedError) throw error;
    if (error instanceof TypeError) throw new ExplainedError(`${path} is not text in UTF-8.`);
    throw new ExplainedError(`Cannot read ${path}: ${readCode(error)}.`);
  }
}

/** Reads the given files. For a folder, reads the YAML and JSON files in it. */
async function readSources(paths: readonly string[]): Promise<SourceFile[]> {
  const listed: string[] = [];
  for (const path of paths) {
    const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
    listed.push(...(isFolder ? await listFolder(path) : [path]));
  }
  if (listed.length === 0) throw new ExplainedError("There are no YAML or JSON files.");
  if (listed.length > maxFiles) throw new ExplainedError(`There are more than ${maxFiles} files.`);
  const sources: SourceFile[] = [];
  let bytes = 0;
  for (const path of new Set(listed)) {
    const [source] = await readSource(path);
    if (source === undefined) continue;
    bytes += Buffer.byteLength(source.text);
    if (bytes > maxFileBytes) {
      throw new ExplainedError(`The files are larger than ${maxFileBytes / 1_048_576} MiB.`);
    }
    sources.push(source);
  }
  return sources;
}

/**
 * Prefixes a message with the name of the file that defines the resource mentioned in the message.
 */
function nameFile(message: string, { resources }: ProjectFiles): string {
  const found = resources.find(({ type, logicalId }) =>
    message.includes(`${type} "${logicalId}": `),
  );
  return found === undefined ? message : `${found.sourceFile}: ${message}`;
}

async function requestPlan(
  target: ServerTarget,
  files: ProjectFiles,
  { prune, detail }: { readonly prune: boolean; readonly detail: "changes" | "full" },
): Promise<ShownPlan> {
  const path = `v1/projects/preview?detail=${detail}&keepResources=${!prune}`;
  const answer = await callServer(target, path, toJsonUpload(files));
  if (answer.status === 200) return answer.body as ShownPlan;
  throw new ExplainedError(nameFile(explainAnswer(answer).message, files));
}

function show(plan: ShownPlan, files: ProjectFiles, format: () => string): string {
  const { project } = files;
  return `Project ${project.logicalId}\n\n${format() || `No changes. ${plan.diff.length} equal.`}`;
}

/** Runs `plan` (what `apply` would do) or `diff` (the differences). Returns the exit code. */
export async function runPlan(
  target: ServerTarget,
  paths: readonly string[],
  options: Pick<PlanOptions, "prune" | "json"> & {
    readonly as: "plan" | "diff";
    readonly terminal: Terminal;
  },
): Promise<number> {
  const { terminal, as, prune, json } = options;
  const files = readProjectFiles(await readSources(paths), terminal.environment);
  const detail = as === "diff" ? "full" : "changes";
  const plan = await requestPlan(target, files, { prune, detail });
  const paint = createPaint(terminal.hasColors);
  if (json) terminal.write(JSON.stringify(plan, null, 2));
  else if (as === "plan") terminal.write(show(plan, files, () => writePlan(plan, paint)));
  else if (hasChanges(plan.diff)) terminal.write(writeDiff(plan, paint));
  return hasChanges(plan.diff) ? exitCodes.changes : exitCodes.noChange;
}

interface EndedDeployment {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly result: Pick<ShownPlan, "diff"> | null;
}

/** Maximum number of requests that wait for a deployment to end. Each request waits up to 30 s. */
const maxWaits = 240;

async function awaitEnd(
  target: ServerTarget,
  files: ProjectFiles,
  id: string,
): Promise<EndedDeployment> {
  const project = encodeURIComponent(files.project.logicalId);
  const path = `v1/projects/${project}/deployments/${id}/completion`;
  for (let count = 0; count < maxWaits; count += 1) {
    const answer = await callServer(target, path);
    if (answer.status === 200) return answer.body as EndedDeployment;
    if (answer.status !== 408) throw explainAnswer(answer);
  }
  throw new ExplainedError(`Deployment ${id} is still running. Look at it later.`);
}

/** Applies exactly the shown plan. Fails if the account has changed after the plan was made. */
async function deploy(
  target: ServerTarget,
  files: ProjectFiles,
  { planToken, prune }: { readonly planToken: string; readonly prune: boolean },
): Promise<EndedDeployment> {
  const query = `keepResources=${!prune}&planToken=${encodeURIComponent(planToken)}`;
  const answer = await callServer(target, `v1/projects/deploy?${query}`, toJsonUpload(files));
  if (answer.status !== 202) {
    throw new ExplainedError(nameFile(explainAnswer(answer).message, files));
  }
  const ended = await awaitEnd(target, files, (answer.body as { readonly id: string }).id);
  if (ended.status === "SUCCEEDED") return ended;
  const { code, message } = ended.error ?? { code: ended.status, message: "" };
  const reason =
    code === "PLAN_STALE"
      ? "The account has changed since this plan was made. Run the command again."
      : nameFile(message || "The deployment was cancelled.", files);
  throw new ExplainedError(`Nothing was applied. ${reason}`);
}

/** Runs `apply`: shows the plan, asks for confirmation, applies it. Returns the exit code. */
export async function runApply(
  target: ServerTarget,
  paths: readonly string[],
  { prune, json, yes, terminal }: PlanOptions & { readonly terminal: Terminal },
): Promise<number> {
  const files = readProjectFiles(await readSources(paths), terminal.environment);
  const plan = await requestPlan(target, files, { prune, detail: "changes" });
  const paint = createPaint(terminal.hasColors && !json);
  const note = json ? terminal.writeNote : terminal.write;
  note(show(plan, files, () => writePlan(plan, paint)));
  if (!hasChanges(plan.diff)) {
    if (json) terminal.write(JSON.stringify(plan, null, 2));
    return 0;
  }
  if (!yes && !terminal.isInteractive) {
    throw new ExplainedError("Nothing was applied. Add --yes to apply without a question.");
  }
  if (!yes && !(await terminal.confirm("\nApply this plan? [y/N] "))) {
    throw new ExplainedError("Nothing was applied.");
  }
  const ended = await deploy(target, files, { planToken: plan.planToken, prune });
  const { adopted, created, changed, deleted } = countActions(ended.result?.diff ?? []);
  const taken = adopted > 0 ? `${adopted} adopted, ` : "";
  note(`\nApplied: ${taken}${created} created, ${changed} changed, ${deleted} deleted.`);
  if (json) terminal.write(JSON.stringify(ended, null, 2));
  return 0;
}

function describeVariables({ variables }: ExportedProject): string {
  const names = variables.map(({ name }) => `  ${name}`).sort();
  return [
    `Secrets are not exported. Set these variables to plan or apply (${names.length}):`,
    ...names,
  ].join("\n");
}

const copyNote =
  "Apply it to another account. For this one, add --adopt: without it, what no project owns would " +
  "be created a second time.";
const adoptNote =
  "Applied to this account, the project takes these objects over as they are. Remove the section " +
  '"adopt" from the file when it has been applied.';

/** Runs `export`: writes the account or one project to a file or to standard output. */
export async function runExport(
  target: ServerTarget,
  file: string | null,
  options: {
    readonly project: string | null;
    /**
     * Whether to export the resources that no project owns, so that a project adopts them when it
     * applies the file.
     */
    readonly adopt: boolean;
    readonly json: boolean;
    readonly overwrite: boolean;
    readonly terminal: Terminal;
  },
): Promise<number> {
  const { project, adopt, overwrite, terminal } = options;
  const query = project === null ? "" : `&project=${encodeURIComponent(project)}`;
  const answer = await callServer(target, `v1/projects/export?adopt=${adopt}${query}`);
  if (answer.status === 404 && project !== null) {
    throw new ExplainedError(`The account has no project "${project}".`);
  }
  if (answer.status !== 200) throw explainAnswer(answer);
  const exported = answer.body as ExportedProject;
  if (adopt && exported.resources.length === 0) {
    throw new ExplainedError("There is nothing to adopt: a project owns every object.");
  }
  const isJson = options.json || (file?.toLowerCase().endsWith(".json") ?? false);
  const text = writeProjectFile(exported, isJson ? "json" : "yaml");
  if (file === null) terminal.write(text.trimEnd());
  else {
    try {
      await writeFile(file, text, { flag: overwrite ? "w" : "wx" });
    } catch (error) {
      const code = readCode(error);
      const reason = code === "EEXIST" ? "it exists; add --overwrite to replace it" : code;
      throw new ExplainedError(`Cannot write ${file}: ${reason}.`);
    }
    terminal.writeNote(`Wrote ${exported.resources.length} resources to ${file}.`);
  }
  if (adopt) terminal.writeNote(adoptNote);
  else if (project === null) terminal.writeNote(copyNote);
  if (exported.variables.length > 0) terminal.writeNote(describeVariables(exported));
  return 0;
}
