/** Converts the files of `vedette plan` and `vedette apply` to the body of a deployment. */
import { ExplainedError } from "../../../platform/errors.ts";
import { listLines, parseYaml, YamlFault } from "../../../platform/yaml.ts";
import {
  type Fields,
  keyOf,
  logicalIdPattern,
  maxResources,
  type ResourceType,
  referenceTypes,
} from "../resource.ts";
import {
  type Environment,
  fillVariables,
  listSections,
  type Relation,
  relationsOf,
  type SectionType,
} from "./file-format.ts";

export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

export interface FileProject {
  readonly logicalId: string;
  readonly name: string;
  readonly repoUrl?: string;
}

/** A resource in the format of a deployment. References are `{ref: logicalId}`. */
export interface FileResource {
  readonly type: ResourceType;
  readonly logicalId: string;
  readonly member: boolean;
  readonly physicalId?: string | number;
  readonly payload: Fields | null;
  readonly sourceFile: string;
}

export interface ProjectFiles {
  readonly project: FileProject;
  readonly resources: readonly FileResource[];
}

/** Maximum total size of all project files. */
export const maxFileBytes = 16 * 1024 * 1024;
const maxReported = 20;
const validId = new RegExp(logicalIdPattern);

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface Named {
  readonly type: SectionType;
  readonly logicalId: string;
  readonly file: string;
  /** Path of the resource in its file. */
  readonly path: string;
}

type Body = Named & { readonly payload: Fields };
type Located = Named & { readonly physicalId: string | number };

class Reader {
  readonly faults: string[] = [];
  readonly bodies: Body[] = [];
  readonly externals: Located[] = [];
  /** Objects that the project adopts, keyed by `keyOf`. */
  private readonly adopted = new Map<string, Located>();
  private readonly byKey = new Map<string, Named>();
  private readonly texts = new Map<string, string>();
  /** Lines of the files with faults, by path. */
  private readonly lines = new Map<string, ReadonlyMap<string, number>>();
  private readonly environment: Environment;
  private project: { readonly file: string; readonly value: FileProject } | null = null;

  constructor(environment: Environment) {
    this.environment = environment;
  }

  private report(file: string, path: string, rule: string): void {
    const line = this.faults.length < maxReported ? this.findLine(file, path) : null;
    this.faults.push(`${file}:${line === null ? "" : `${line}:`} ${path} ${rule}`);
  }

  /** Returns the line of a path, or of the nearest path above it that is in the file. */
  private findLine(file: string, path: string): number | null {
    const lines = this.lines.get(file) ?? listLines(this.texts.get(file) ?? "");
    this.lines.set(file, lines);
    for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
      const line = lines.get(path.slice(0, end));
      if (line !== undefined) return line;
    }
    return null;
  }

  readFile({ name, text }: SourceFile): void {
    this.texts.set(name, text);
    let document: unknown;
    try {
      document = parseYaml(text);
    } catch (error) {
      if (!(error instanceof YamlFault)) throw error;
      this.faults.push(`${name} ${error.message}`);
      return;
    }
    // A file that contains only comments has no document.
    if (document === null || document === undefined) return;
    if (!isFields(document)) {
      this.faults.push(`${name} must contain sections such as "checks:"`);
      return;
    }
    const sections = listSections();
    for (const [key, value] of Object.entries(document)) {
      const type = sections.get(key);
      if (key === "project") this.readProject(name, value);
      else if (key === "external" || key === "adopt") this.readIds(name, key, value);
      else if (type !== undefined) this.readSection(name, key, { type, value });
      else {
        const known = ["project", ...sections.keys(), "external", "adopt"].join(", ");
        this.report(name, key, `is not a section; sections are ${known}`);
      }
    }
  }

  private readProject(file: string, value: unknown): void {
    const given = typeof value === "string" ? { logicalId: value } : value;
    const filled = this.fill(given, { file, path: "project" });
    if (!isFields(filled) || typeof filled.logicalId !== "string") {
      this.report(file, "project.logicalId", "is required");
      return;
    }
    const { logicalId, name = logicalId, repoUrl } = filled;
    const project = {
      logicalId,
      name: String(name),
      ...(typeof repoUrl === "string" && { repoUrl }),
    };
    const first = this.project;
    if (first === null) this.project = { file, value: project };
    else if (JSON.stringify(first.value) !== JSON.stringify(project)) {
      this.report(file, "project", `differs from that of ${first.file}`);
    }
  }

  /** Reserves the name of a resource. Reports an invalid or repeated name and returns `false`. */
  private claim(named: Named): boolean {
    const { file, path, logicalId } = named;
    if (!validId.test(logicalId)) {
      this.report(file, path, "must be named with letters, digits and the characters _ - / # .");
      return false;
    }
    const first = this.byKey.get(keyOf(named));
    if (first === undefined) {
      this.byKey.set(keyOf(named), named);
      return true;
    }
    this.report(file, path, `is also in ${first.file}`);
    return false;
  }

  private readSection(
    file: string,
    section: string,
    { type, value }: { readonly type: SectionType; readonly value: unknown },
  ): void {
    if (value === null) return;
    if (!isFields(value)) {
      this.report(file, section, "must map names to bodies");
      return;
    }
    for (const [logicalId, body] of Object.entries(value)) {
      const named = { type, logicalId, file, path: `${section}.${logicalId}` };
      if (!this.claim(named)) continue;
      if (isFields(body)) this.bodies.push({ ...named, payload: body });
      else this.report(file, named.path, "must be the body of the resource");
    }
  }

  /** Reads the ids of objects that the project references ("external") or adopts ("adopt"). */
  private readIds(file: string, key: "external" | "adopt", value: unknown): void {
    const sections = listSections();
    for (const [section, items] of Object.entries(isFields(value) ? value : {})) {
      const type = sections.get(section);
      if (type === undefined || !isFields(items)) {
        this.report(file, `${key}.${section}`, "must be a section that maps names to ids");
        continue;
      }
      for (const [logicalId, id] of Object.entries(items)) {
        const named = { type, logicalId, file, path: `${key}.${section}.${logicalId}` };
        if (key === "external" && !this.claim(named)) continue;
        const physicalId = this.fill(id, named);
        if (typeof physicalId !== "string" && typeof physicalId !== "number") {
          this.report(file, named.path, "must be the id of an object of the account");
        } else if (key === "external") this.externals.push({ ...named, physicalId });
        else this.adopt({ ...named, physicalId });
      }
    }
  }

  private adopt(located: Located): void {
    const first = this.adopted.get(keyOf(located));
    if (first === undefined) this.adopted.set(keyOf(located), located);
    else this.report(located.file, located.path, `is also in ${first.file}`);
  }

  /**
   * Reports an entry of `adopt` if no file describes the resource of the entry. The deployment
   * would silently ignore the entry.
   */
  private assertAdopted(): void {
    const described = new Set(this.bodies.map(keyOf));
    for (const located of this.adopted.values()) {
      if (described.has(keyOf(located))) continue;
      const rule = `names a ${located.type} that no file describes`;
      this.report(located.file, located.path, rule);
    }
  }

  /** Replaces the variables in all strings of a value. */
  private fill(value: unknown, at: { readonly file: string; readonly path: string }): unknown {
    if (typeof value === "string") {
      const { text, faults } = fillVariables(value, this.environment);
      for (const fault of faults) this.report(at.file, at.path, fault);
      return text;
    }
    const fillItem = (item: unknown, step: string | number) =>
      this.fill(item, { file: at.file, path: `${at.path}.${step}` });
    if (Array.isArray(value)) return value.map(fillItem);
    if (!isFields(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([step, item]) => [step, fillItem(item, step)]),
    );
  }

  /** Returns a reference to a resource. Reports a name that no file contains. */
  private refer(
    type: ResourceType,
    logicalId: string,
    at: { readonly file: string; readonly path: string },
  ): { readonly ref: string } {
    if (!this.byKey.has(keyOf({ type, logicalId }))) {
      this.report(at.file, at.path, `refers to the ${type} "${logicalId}", which no file contains`);
    }
    return { ref: logicalId };
  }

  /** Replaces names with references in fields that refer to other resources. */
  private referAll(
    value: unknown,
    at: { readonly file: string; readonly path: string; readonly type: ResourceType | null },
  ): unknown {
    const { type } = at;
    if (typeof value === "string") return type === null ? value : this.refer(type, value, at);
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        this.referAll(item, { ...at, path: `${at.path}.${index}` }),
      );
    }
    if (!isFields(value)) return value;
    const entries = Object.entries(value).map(([step, item]) => {
      const path = `${at.path}.${step}`;
      return [step, this.referAll(item, { ...at, path, type: referenceTypes[step] ?? null })];
    });
    return Object.fromEntries(entries);
  }

  /** Extracts the relations of a resource, which are separate resources in a deployment. */
  private expand(body: Body): FileResource[] {
    const { type, logicalId, file, path } = body;
    const filled = this.fill(body.payload, body) as Record<string, unknown>;
    const relations: FileResource[] = [];
    for (const relation of relationsOf(type)) {
      const { field } = relation;
      const list = filled[field] ?? [];
      delete filled[field];
      if (!Array.isArray(list)) {
        this.report(file, `${path}.${field}`, "must be a list");
        continue;
      }
      for (const [index, item] of list.entries()) {
        const at = { file, path: `${path}.${field}.${index}` };
        const found = this.expandRelation(relation, { item, logicalId, at });
        if (found !== null) relations.push(found);
      }
    }
    const payload = this.referAll(filled, { file, path, type: null }) as Fields;
    const physicalId = this.adopted.get(keyOf(body))?.physicalId;
    const id = physicalId === undefined ? {} : { physicalId };
    return [{ type, logicalId, member: true, ...id, payload, sourceFile: file }, ...relations];
  }

  private expandRelation(
    { name, target, targetField, ownField, type }: Relation,
    owner: {
      readonly item: unknown;
      readonly logicalId: string;
      readonly at: { readonly file: string; readonly path: string };
    },
  ): FileResource | null {
    const { item, logicalId, at } = owner;
    const fields = isFields(item) ? item : { [targetField]: item };
    const { [targetField]: other, ...options } = fields;
    if (typeof other !== "string") {
      this.report(at.file, `${at.path}.${targetField}`, `must be the name of a ${target}`);
      return null;
    }
    const payload = {
      [targetField]: this.refer(target, other, at),
      [ownField]: { ref: logicalId },
      ...options,
    };
    const id = `${name}#${logicalId}#${other}`;
    return { type, logicalId: id, member: true, payload, sourceFile: at.file };
  }

  finish(): ProjectFiles {
    const resources: FileResource[] = this.externals.map(
      ({ type, logicalId, physicalId, file }) => {
        return { type, logicalId, physicalId, member: false, payload: null, sourceFile: file };
      },
    );
    this.assertAdopted();
    for (const body of this.bodies) resources.push(...this.expand(body));
    const project = this.project?.value;
    if (project === undefined) {
      this.faults.push('No file names the project. Add for example "project: network".');
    }
    if (resources.length > maxResources) {
      this.faults.push(`The files contain more than ${maxResources} resources.`);
    }
    if (project === undefined || this.faults.length > 0) throw explain(this.faults);
    return { project, resources };
  }
}

function explain(faults: readonly string[]): ExplainedError {
  const rest = faults.length - maxReported;
  const shown = faults.slice(0, maxReported);
  return new ExplainedError([...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join("\n"));
}

/** Combines several files into one desired state. Throws an error that lists the first faults. */
export function readProjectFiles(
  files: readonly SourceFile[],
  environment: Environment,
): ProjectFiles {
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > maxFileBytes) {
    throw new ExplainedError(`The files are larger than ${maxFileBytes / 1_048_576} MiB.`);
  }
  const reader = new Reader(environment);
  for (const file of files) reader.readFile(file);
  return reader.finish();
}
