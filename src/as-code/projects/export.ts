/** Exports resources, without secrets, in the format that deployments accept. */

import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Caller } from "../../access/accounts/index.ts";
import { inTransaction } from "../../platform/database.ts";
import { conflict, notFound } from "../../platform/errors.ts";
import { mapMemberIds } from "../../response/on-call/index.ts";
import type { AdapterTools } from "./adapters/adapter.ts";
import { type AdaptedType, adaptedTypes, adapters } from "./adapters/index.ts";
import type { ProjectsContext } from "./context.ts";
import type { ExportedProject, ExportedResource } from "./files/write-file.ts";
import { nameResources } from "./imports/importable.ts";
import { memberFields, omitMissing } from "./members.ts";
import {
  type Definition,
  type Fields,
  maxResources,
  type ResourceType,
  referenceTypes,
  toFields,
} from "./resource.ts";
import { findProject, listOwners, maxOwners, type ResourceOwner } from "./store.ts";
import { toWireId } from "./wire-diff.ts";

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Path = readonly string[];

/** Lists the paths of all fields, parents before their inner fields. A list counts as one value. */
function listPaths(fields: Fields, prefix: Path = []): Path[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = [...prefix, name];
    return [path, ...(isFields(value) ? listPaths(value, path) : [])];
  });
}

function readPath(fields: Fields, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (isFields(value) ? value[step] : undefined), fields);
}

function withoutPath(fields: Fields, [first = "", ...rest]: Path): Fields {
  const { [first]: inner, ...others } = fields;
  if (rest.length === 0) return others;
  return isFields(inner) ? { ...fields, [first]: withoutPath(inner, rest) } : fields;
}

function withPath(fields: Fields, [first = "", ...rest]: Path, value: unknown): Fields {
  const inner = fields[first];
  if (rest.length === 0) return { ...fields, [first]: value };
  return { ...fields, [first]: withPath(isFields(inner) ? inner : {}, rest, value) };
}

/** Value that a field gets if the body omits the field; `null` if the field is required. */
type Default = { readonly value: unknown } | null;

/**
 * Finds the default value of a field by parsing a body that omits the field. Each result is cached
 * by type and field.
 */
class DefaultFinder {
  private readonly known = new Map<string, Default>();

  private parse(type: AdaptedType, payload: Fields): Fields | null {
    try {
      return toFields(adapters[type].parse(payload, null).definition.clear);
    } catch {
      return null;
    }
  }

  private findDefault(type: AdaptedType, clear: Fields, path: Path): Default {
    const kind = String(clear.checkType ?? clear.type ?? "");
    const key = `${type} ${kind} ${JSON.stringify(path)}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const parsed = this.parse(type, withoutPath(clear, path));
    const found = parsed && { value: readPath(parsed, path) };
    this.known.set(key, found);
    return found;
  }

  /**
   * Converts a definition to a body. A `null` that an omitted field would get anyway is removed.
   */
  private toBody(type: AdaptedType, clear: Fields): Fields {
    const nulls = listPaths(clear).filter((path) => readPath(clear, path) === null);
    const bare = nulls.reduce(withoutPath, clear);
    const parsed = this.parse(type, bare);
    if (parsed === null) return clear;
    const needed = nulls.filter((path) => (readPath(parsed, path) ?? null) !== null);
    return needed.reduce((body, path) => withPath(body, path, null), bare);
  }

  /** Returns a body without default values. Parsing this body gives the same definition. */
  leaveOut(type: AdaptedType, definition: Fields): Fields {
    const clear = toFields(definition);
    const body = this.toBody(type, clear);
    const whole = this.parse(type, body);
    if (whole === null) return body;
    const usual = listPaths(body).filter((path) => {
      const found = this.findDefault(type, body, path);
      return found !== null && isDeepStrictEqual(found.value, readPath(body, path));
    });
    const small = usual.reduce(withoutPath, body);
    if (isDeepStrictEqual(this.parse(type, small), whole)) return small;
    // Some defaults depend on other fields, so the fields are removed one after the other.
    return usual.reduce((left: Fields, path) => {
      const next = withoutPath(left, path);
      return isDeepStrictEqual(this.parse(type, next), whole) ? next : left;
    }, body);
  }
}

/** A variable that replaces a secret in an export, with the place of the secret. */
export interface ExportedVariable {
  readonly name: string;
  readonly type: ResourceType;
  readonly logicalId: string;
  /**
   * Path of the secret in its resource: field names, and keys or indexes of list items, separated
   * by dots.
   */
  readonly path: string;
}

export interface AccountExport extends ExportedProject {
  readonly variables: readonly ExportedVariable[];
}

interface Stored {
  readonly type: AdaptedType;
  readonly physicalId: string;
  readonly logicalId: string;
  readonly definition: Definition;
}

/** Numbers of resources after which other requests get their turn. */
const loadedAtOnce = 50;
const writtenAtOnce = 20;

const keyOfStored = (type: ResourceType, physicalId: unknown) => `${type} ${physicalId}`;

/**
 * Returns the logical ids of all exported resources. Owned resources keep their logical id. Other
 * logical ids are derived from display names. Repeated names get a number.
 */
function nameAll(
  found: readonly Omit<Stored, "logicalId">[],
  owners: ReadonlyMap<string, ResourceOwner>,
  project: string | null,
): Map<string, string> {
  const names = new Map<string, string>();
  // Names must be unique in the project, because the export may be added to its files.
  const others = [...owners.values()].filter((one) => one.projectLogicalId === project);
  const ids = new Set(found.map(({ type, physicalId }) => keyOfStored(type, physicalId)));
  const outside = others.filter(({ type, physicalId }) => !ids.has(keyOfStored(type, physicalId)));
  const taken = new Set(outside.map(({ type, logicalId }) => `${type} ${logicalId}`));
  const ownerOf = ({ type, physicalId }: Pick<Stored, "type" | "physicalId">) =>
    owners.get(keyOfStored(type, physicalId));
  const owned = found.filter(ownerOf).sort((one, other) => {
    const [left, right] = [ownerOf(one), ownerOf(other)].map(
      (owner) => `${owner?.projectLogicalId}\n${owner?.logicalId}`,
    );
    return (left ?? "") < (right ?? "") ? -1 : 1;
  });
  for (const one of owned) {
    const base = ownerOf(one)?.logicalId ?? "";
    let name = base;
    for (let count = 2; taken.has(`${one.type} ${name}`); count += 1) name = `${base}-${count}`;
    taken.add(`${one.type} ${name}`);
    names.set(keyOfStored(one.type, one.physicalId), name);
  }
  const unowned = found
    .filter((one) => !ownerOf(one))
    .map(({ type, physicalId, definition: { shown } }) => ({ type, physicalId, shown }));
  return new Map([...names, ...nameResources(unowned, taken)]);
}

async function loadAll(
  tools: AdapterTools,
  isExported: (type: ResourceType, id: string) => boolean,
): Promise<Omit<Stored, "logicalId">[]> {
  const found: Omit<Stored, "logicalId">[] = [];
  for (const type of adaptedTypes) {
    const all = await adapters[type].listIds(tools);
    const ids = all.filter((id) => isExported(type, id));
    if (found.length + ids.length > maxResources) {
      throw conflict(`more than ${maxResources} resources; export one project at a time`);
    }
    for (let first = 0; first < ids.length; first += loadedAtOnce) {
      const part = ids.slice(first, first + loadedAtOnce);
      for (const [physicalId, definition] of await adapters[type].load(tools, part)) {
        found.push({ type, physicalId, definition });
      }
    }
  }
  return found;
}

const words = (text: string) =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase();

function sortByText(items: readonly unknown[]): unknown[] {
  const texts = items.map((item) => ({ item, text: JSON.stringify(item) }));
  return texts.sort((one, other) => (one.text < other.text ? -1 : 1)).map(({ item }) => item);
}

/** Email addresses of members, keyed by user id. */
type Emails = ReadonlyMap<unknown, string>;

class Exporter {
  readonly variables: ExportedVariable[] = [];
  private readonly variableNames = new Set<string>();
  private readonly names: ReadonlyMap<string, string>;
  private readonly externals = new Map<string, ExportedResource>();
  private readonly accountIds: ReadonlySet<string>;
  private readonly defaults = new DefaultFinder();

  private readonly adopts: boolean;
  private readonly emails: Emails;

  constructor(facts: {
    readonly names: ReadonlyMap<string, string>;
    readonly accountIds: ReadonlySet<string>;
    readonly emails: Emails;
    readonly adopts: boolean;
  }) {
    this.names = facts.names;
    this.emails = facts.emails;
    this.accountIds = facts.accountIds;
    this.adopts = facts.adopts;
  }

  /**
   * Returns a reference to a resource inside or outside the export; `null` if the resource does not
   * exist.
   */
  refer(type: ResourceType, id: unknown): { readonly ref: string } | null {
    const key = keyOfStored(type, id);
    const name = this.names.get(key);
    if (name !== undefined) return { ref: name };
    if (!this.accountIds.has(key)) return null;
    const logicalId = `${type}-${id}`;
    const physicalId = toWireId(type, String(id));
    this.externals.set(key, { type, logicalId, physicalId, payload: null });
    return { ref: logicalId };
  }

  listExternals(): ExportedResource[] {
    return [...this.externals.values()];
  }

  private nameVariable(one: Pick<Stored, "type" | "logicalId">, path: readonly string[]) {
    const base = words([one.type, one.logicalId, ...path].join("_"));
    let name = base;
    for (let count = 2; this.variableNames.has(name); count += 1) name = `${base}_${count}`;
    this.variableNames.add(name);
    const { type, logicalId } = one;
    this.variables.push({ name, type, logicalId, path: path.join(".") });
    return { $secret: name };
  }

  /** Replaces secrets with variables and ids with references. */
  private write(
    value: unknown,
    shown: unknown,
    at: {
      readonly stored: Stored;
      readonly path: readonly string[];
      readonly refers: ResourceType | "member" | null;
    },
  ): unknown {
    if (Array.isArray(value)) {
      const masked = Array.isArray(shown) ? shown : [];
      const items = value.flatMap((item, index) => {
        const key = isFields(item) && typeof item.key === "string" ? item.key : String(index);
        const written = this.write(item, masked[index], { ...at, path: [...at.path, key] });
        return at.refers !== null && written === null ? [] : [written];
      });
      const { unordered = [] } = adapters[at.stored.type];
      return unordered.includes(at.path.join(".")) ? sortByText(items) : items;
    }
    if (isFields(value)) {
      const masked = isFields(shown) ? shown : {};
      return Object.fromEntries(
        Object.entries(value).map(([step, item]) => {
          const refers = memberFields.has(step) ? "member" : (referenceTypes[step] ?? null);
          const path = [...at.path, step];
          return [step, this.write(item, masked[step], { stored: at.stored, path, refers })];
        }),
      );
    }
    if (at.refers !== null && value !== null) {
      return at.refers === "member"
        ? (this.emails.get(value) ?? value)
        : this.refer(at.refers, value);
    }
    return Object.is(value, shown) ? value : this.nameVariable(at.stored, at.path);
  }

  writeResource(stored: Stored): ExportedResource {
    const { type, logicalId, physicalId, definition } = stored;
    const { maskExport, omitGenerated } = adapters[type];
    const payload = this.defaults.leaveOut(type, definition.clear);
    const { privateLocations: _places, ...own } = payload;
    const shown = maskExport?.(definition.shown) ?? definition.shown;
    // Adopted resources omit generated fields, because an omitted field keeps its stored value.
    const kept = this.adopts ? (omitGenerated?.(own) ?? own) : own;
    const at = { stored, path: [], refers: null };
    const written = this.write(kept, shown, at) as Fields;
    const isAdopted = this.adopts && type !== "alert-channel-subscription";
    return {
      ...{ type, logicalId, payload: written },
      ...(isAdopted && { physicalId: toWireId(type, physicalId) }),
    };
  }
}

async function embedFiles(tools: AdapterTools, stored: Stored): Promise<Stored> {
  const { type, physicalId, definition } = stored;
  const { embedFiles: embed } = adapters[type];
  if (embed === undefined) return stored;
  const clear = await embed(tools, physicalId, definition.clear);
  return { ...stored, definition: { clear, shown: { ...definition.shown, ...clear } } };
}

const assignmentTypes = {
  check: { type: "private-location-check-assignment", field: "checkId" },
  "check-group": { type: "private-location-group-assignment", field: "groupId" },
} as const;

/** Exports the private locations of a check or a group as separate resources. */
function exportAssignments(
  { type, logicalId, definition }: Stored,
  locations: ReadonlyMap<unknown, string>,
  exporter: Exporter,
): ExportedResource[] {
  if (type !== "check" && type !== "check-group") return [];
  const assignment = assignmentTypes[type];
  const slugs = (definition.clear.privateLocations ?? []) as readonly string[];
  return slugs.flatMap((slug) => {
    const place = exporter.refer("private-location", locations.get(slug));
    if (place === null) return [];
    const payload = { privateLocationId: place, [assignment.field]: { ref: logicalId } };
    const id = `${assignment.type}#${logicalId}#${place.ref}`;
    return [{ type: assignment.type, logicalId: id, payload }];
  });
}

/**
 * Removes references to former members and deleted targets, because a file cannot contain them.
 * Also removes layers, steps and resources that would page nobody without these references.
 */
function dropMissing(
  all: readonly Omit<Stored, "logicalId">[],
  {
    accountIds,
    isMember,
  }: { readonly accountIds: Set<string>; readonly isMember: (id: unknown) => boolean },
): Omit<Stored, "logicalId">[] {
  const exists = (type: ResourceType | "member", id: unknown) =>
    type === "member" ? isMember(id) : accountIds.has(keyOfStored(type, id));
  return all.flatMap((one) => {
    const { type, physicalId, definition } = one;
    const clear = omitMissing(type, definition.clear, exists);
    if (clear === definition.clear) return [one];
    const shown = omitMissing(type, definition.shown, exists);
    if (clear !== null && shown !== null) return [{ ...one, definition: { clear, shown } }];
    accountIds.delete(keyOfStored(type, physicalId));
    return [];
  });
}

/** Placeholder for the project in an export whose resources do not all belong to one project. */
const accountProject = { logicalId: "account", name: "Account" };

function chooseProject(
  found: readonly Omit<Stored, "logicalId">[],
  owners: ReadonlyMap<string, ResourceOwner>,
): string | null {
  const projects = new Set(
    found.map(({ type, physicalId }) => {
      return owners.get(keyOfStored(type, physicalId))?.projectLogicalId ?? null;
    }),
  );
  const [only = null] = projects;
  return projects.size === 1 ? only : null;
}

async function mapSlugs(tools: AdapterTools): Promise<Map<unknown, string>> {
  const adapter = adapters["private-location"];
  const found = await adapter.load(tools, await adapter.listIds(tools));
  return new Map([...found].map(([id, { clear }]) => [clear.slugName, id]));
}

interface ExportRequest {
  readonly project?: string | undefined;
  readonly adopt: boolean;
}

/** Exports the account, one project, or the resources that no project owns. */
export async function exportResources(
  context: ProjectsContext,
  caller: Caller,
  { project: logicalId, adopt: adopts }: ExportRequest,
): Promise<AccountExport> {
  return inTransaction(context.db, async (db) => {
    const { accountId } = caller;
    const tools = { context: { ...context, db }, caller };
    const list = await listOwners(db, accountId, { limit: maxOwners });
    const owners = new Map(list.map((one) => [keyOfStored(one.type, one.physicalId), one]));
    const wanted = logicalId ?? null;
    const accountIds = new Set<string>();
    const members = await mapMemberIds(db, accountId);
    const emails: Emails = new Map([...members].map(([email, id]) => [id, email]));
    const all = await loadAll(tools, (type, id) => {
      accountIds.add(keyOfStored(type, id));
      const owner = owners.get(keyOfStored(type, id));
      if (adopts) return owner === undefined;
      return wanted === null || owner?.projectLogicalId === wanted;
    });
    // Adopting must not change a resource, so references to former members are kept.
    const isMember = (id: unknown) => adopts || emails.has(id);
    const found = dropMissing(all, { accountIds, isMember });
    const chosen = wanted ?? (adopts ? accountProject.logicalId : chooseProject(found, owners));
    const project = chosen === null ? null : await findProject(db, accountId, chosen);
    if (wanted !== null && project === null && !adopts) throw notFound();
    const names = nameAll(found, owners, chosen);
    const stored = found
      .map((one) => ({ ...one, logicalId: names.get(keyOfStored(one.type, one.physicalId)) ?? "" }))
      .sort((one, other) => (one.logicalId < other.logicalId ? -1 : 1));
    const exporter = new Exporter({ names, accountIds, emails, adopts });
    const slugs = await mapSlugs(tools);
    const resources: ExportedResource[] = [];
    for (const [index, one] of stored.entries()) {
      if (index % writtenAtOnce === 0) await setImmediate();
      const embedded = await embedFiles(tools, one);
      resources.push(exporter.writeResource(embedded), ...exportAssignments(one, slugs, exporter));
    }
    const { name, repoUrl } = project ?? {
      name: wanted ?? accountProject.name,
      repoUrl: null,
    };
    return {
      project: {
        logicalId: chosen ?? accountProject.logicalId,
        name,
        ...(repoUrl !== null && { repoUrl }),
      },
      resources: [...exporter.listExternals(), ...resources],
      variables: exporter.variables,
    };
  });
}
