import type { CheckWithRuns } from "../states/index.ts";

type Label = readonly [name: string, value: string];

const ownNames: ReadonlySet<string> = new Set([
  "name",
  "check_id",
  "check_type",
  "muted",
  "activated",
  "group",
  "tags",
  "location",
  "status",
  "type",
  "job",
  "instance",
]);
const maxTagLabels = 10;
const tagLabel = /^([A-Za-z][A-Za-z0-9_.-]{0,63}):(.+)$/s;

/** Returns the labels of every series of a check. A tag `team:edge` becomes the label `team`. */
export function listCheckLabels(check: CheckWithRuns, parsesTags: boolean): Label[] {
  const parsed = new Map<string, string>();
  const plain: string[] = [];
  for (const tag of new Set(check.tags)) {
    const [, key, value] = (parsesTags ? tagLabel.exec(tag) : null) ?? [];
    const name = key?.replace(/[.-]/g, "_");
    const isFree = name !== undefined && !ownNames.has(name) && !parsed.has(name);
    if (isFree && value !== undefined && parsed.size < maxTagLabels) parsed.set(name, value);
    else plain.push(tag);
  }
  return [
    ["name", check.name],
    ["check_id", check.id],
    ["check_type", check.kind],
    ["muted", String(check.isMuted)],
    ["activated", String(check.isActive)],
    ["group", check.groupName ?? ""],
    ["tags", plain.join(",")],
    ...parsed,
  ];
}
