/** Pure functions that write exported resources as a file for `vedette apply`. */
import { formatYaml } from "../../../platform/yaml.ts";
import type { Fields, ResourceType } from "../resource.ts";
import { isReference } from "../resource.ts";
import {
  escapeVariables,
  findRelation,
  isSectionType,
  listSections,
  writeVariable,
} from "./file-format.ts";
import type { FileProject } from "./read-files.ts";

export interface ExportedResource {
  readonly type: ResourceType;
  readonly logicalId: string;
  /** Fields of the resource; `null` for an object that the export only references. */
  readonly payload: Fields | null;
  /** Id of an object that the export references or that the project adopts. */
  readonly physicalId?: string | number | undefined;
}

export interface ExportedProject {
  readonly project: FileProject;
  readonly resources: readonly ExportedResource[];
  /** Variables for the secrets. Payloads contain a secret as `{$secret: name}`. */
  readonly variables: readonly { readonly name: string }[];
}

function isSecret(value: object): value is { readonly $secret: string } {
  return "$secret" in value && typeof value.$secret === "string";
}

/** Converts references to names, and secrets to variables. */
function writeValue(value: unknown): unknown {
  if (typeof value === "string") return escapeVariables(value);
  if (Array.isArray(value)) return value.map(writeValue);
  if (typeof value !== "object" || value === null) return value;
  if (isReference(value)) return value.ref;
  if (isSecret(value)) return writeVariable(value.$secret);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writeValue(item)]));
}

const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/** Collects the items of relation fields, keyed by type and logical id of the check or group. */
function collectRelations(resources: readonly ExportedResource[]) {
  const found = new Map<string, Map<string, { readonly name: string; readonly item: unknown }[]>>();
  for (const { type, payload } of resources) {
    const relation = payload && findRelation(type, payload);
    if (!relation) continue;
    const { owner, field, ownField, targetField } = relation;
    const { [ownField]: own, [targetField]: other, ...options } = payload;
    if (!isReference(own) || !isReference(other)) continue;
    const isPlain = field === "privateLocations";
    const item = isPlain ? other.ref : { [targetField]: other.ref, ...options };
    const key = `${owner} ${own.ref}`;
    const fields = found.get(key) ?? new Map();
    fields.set(field, [...(fields.get(field) ?? []), { name: other.ref, item }]);
    found.set(key, fields);
  }
  return (type: ResourceType, logicalId: string): Fields => {
    const fields = found.get(`${type} ${logicalId}`) ?? new Map();
    const sorted = [...fields].map(([field, items]) => [
      field,
      [...items]
        .sort((one, another) => byText(one.name, another.name))
        .map(({ item }: { readonly item: unknown }) => item),
    ]);
    return Object.fromEntries(sorted);
  };
}

function writeSections(resources: readonly ExportedResource[]): Record<string, Fields> {
  const relationsOf = collectRelations(resources);
  const sorted = resources
    .filter(({ type }) => isSectionType(type))
    .sort((one, other) => byText(one.logicalId, other.logicalId));
  const document: Record<string, Fields> = {};
  for (const [section, type] of listSections()) {
    const own = sorted.filter((one) => one.type === type && one.payload !== null);
    if (own.length === 0) continue;
    document[section] = Object.fromEntries(
      own.map(({ logicalId, payload }) => {
        const body = { ...payload, ...relationsOf(type, logicalId) };
        return [logicalId, writeValue(body)];
      }),
    );
  }
  const external = writeIds(sorted.filter(({ payload }) => payload === null));
  const adopt = writeIds(sorted.filter(({ payload }) => payload !== null));
  return { ...document, ...(external && { external }), ...(adopt && { adopt }) };
}

/** Returns the ids of objects by section and name, or `null` if the export contains no ids. */
function writeIds(resources: readonly ExportedResource[]): Fields | null {
  const known = resources.filter(({ physicalId }) => physicalId !== undefined);
  const sections = [...listSections()].flatMap(([section, type]) => {
    const own = known.filter((one) => one.type === type);
    const ids = own.map(({ logicalId, physicalId }) => [logicalId, physicalId]);
    return ids.length === 0 ? [] : [[section, Object.fromEntries(ids)]];
  });
  return sections.length === 0 ? null : Object.fromEntries(sections);
}

/** Writes the file. The output is deterministic: equal resources produce equal files. */
export function writeProjectFile(
  { project, resources, variables }: ExportedProject,
  format: "yaml" | "json",
): string {
  const document = { project: writeValue(project), ...writeSections(resources) };
  if (format === "json") return `${JSON.stringify(document, null, 2)}\n`;
  const names = variables.map(({ name }) => `#   ${name}\n`).sort(byText);
  const head = names.length === 0 ? "" : `# Needs these variables:\n${names.join("")}`;
  return `${head}${formatYaml(document)}`;
}
