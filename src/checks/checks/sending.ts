/** Describes the hidden values that a check sends, and their destination. */
import { createHash } from "node:crypto";
import { type CheckType, kinds } from "../../kinds/index.ts";
import { fillVariables, receivesAll } from "../../kinds/kit/variables/variables.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { isHidden, openValue, type StoredVariable } from "../variables/index.ts";
import { applyGroupSettings, type CheckGroup } from "./check-group.ts";
import type { CheckSettings } from "./check-settings.ts";
import { listOwnSecrets } from "./entered-values.ts";
import { listDefaultSecrets } from "./group-defaults.ts";

/** Type of the recipient that a hidden value is sent to. */
export type Recipient = "host" | "script";

/** Hidden values with a common owner: a variable, a check or a group. */
export interface HiddenSource {
  /** Identifies the owner. Hidden values of one owner have the same key in all checks. */
  readonly key: string;
  readonly label: string;
}

/** The hidden values that a check sends, and their destination. */
export interface Sending {
  /**
   * Origin, or host and port. For a script, which may send values anywhere, a digest of the script
   * and of the variables that it reads.
   */
  readonly destination: string;
  readonly destinationNames: ReadonlySet<string>;
  readonly hidden: readonly HiddenSource[];
  readonly recipient: Recipient;
}

/** A check and its group with their secrets decrypted. */
export interface OpenCheck {
  readonly id: string;
  readonly kind: CheckType;
  readonly settings: CheckSettings;
  readonly variables: readonly StoredVariable[];
  readonly group: CheckGroup | null;
}

export interface SendingTools {
  readonly encryption: Encryption;
  readonly accountVariables: ReadonlyMap<string, StoredVariable>;
}

function noteNames(text: string, names: Set<string>): string {
  return fillVariables(text, (name) => {
    names.add(name);
    return undefined;
  });
}

/** Returns the origin of a URL, because the operator of a host sees the requests to all paths. */
function toDestination(target: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null || url.origin === "null" ? target.toLowerCase() : url.origin;
}

interface FoundVariable {
  readonly stored: StoredVariable;
  readonly source: string;
  readonly label: string;
}

/** Finds a variable by name: first in the check, then in its group, then in the account. */
function findVariable(
  { id, variables, group }: OpenCheck,
  name: string,
  { accountVariables }: SendingTools,
): FoundVariable | null {
  const isNamed = ({ key }: StoredVariable) => key === name;
  const label = `the variable ${name}`;
  const own = variables.find(isNamed);
  if (own !== undefined) return { stored: own, source: `check ${id} ${name}`, label };
  const ofGroup = group?.variables.find(isNamed);
  if (ofGroup !== undefined) {
    return { stored: ofGroup, source: `group ${group?.id} ${name}`, label };
  }
  const stored = accountVariables.get(name);
  return stored === undefined ? null : { stored, source: `account ${name}`, label };
}

/** Writes JSON with sorted keys, because the database does not preserve the order of keys. */
function writeSorted(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** Returns the names of the variables that a check uses, and the target of its requests. */
function describeRequest(check: OpenCheck, { accountVariables }: SendingTools) {
  const { variables, group } = check;
  const kind = kinds[check.kind];
  const settings = applyGroupSettings(kind, check.settings, group);
  const request = kind.toRequest(settings);
  if (receivesAll(kind, request)) {
    const own = [...variables, ...(group?.variables ?? [])].map(({ key }) => key);
    const names = new Set([...own, ...accountVariables.keys()]);
    const digest = createHash("sha256").update(writeSorted(request)).digest("hex");
    return { names, target: digest, destinationNames: names, recipient: "script" as const };
  }
  const names = new Set<string>();
  kind.texts.mapRequest(request, (text) => noteNames(text, names));
  const destinationNames = new Set<string>();
  const target = noteNames(kind.target(settings), destinationNames);
  return { names, target, destinationNames, recipient: "host" as const };
}

/**
 * Returns a digest of the variables that a script reads. A script may send hidden values to a host
 * that another variable names.
 */
function digestVariables(names: ReadonlySet<string>, open: (name: string) => string | undefined) {
  const values = [...names].sort().map((name) => [name, open(name)]);
  return createHash("sha256").update(JSON.stringify(values)).digest("hex");
}

export function describeSending(check: OpenCheck, tools: SendingTools): Sending {
  const { id, group } = check;
  const kind = kinds[check.kind];
  const { names, target, destinationNames, recipient } = describeRequest(check, tools);
  const open = (name: string) => {
    const found = findVariable(check, name, tools);
    return found === null ? undefined : (openValue(found.stored, tools.encryption) ?? undefined);
  };
  const hidden = [...names].flatMap((name): HiddenSource[] => {
    const found = findVariable(check, name, tools);
    if (found === null || !isHidden(found.stored)) return [];
    return [{ key: found.source, label: found.label }];
  });
  const own = listOwnSecrets(check.kind, check.settings);
  if (own.length > 0) {
    hidden.push({ key: `check ${id}`, label: "hidden values of the check" });
  }
  const ofGroup = group === null ? [] : listDefaultSecrets(kind, group.settings);
  if (group !== null && ofGroup.length > 0) {
    const label = `hidden values of the group ${group.name}`;
    hidden.push({ key: `group ${group.id}`, label });
  }
  const destination =
    recipient === "script"
      ? `${target} ${digestVariables(names, open)}`
      : toDestination(fillVariables(target, open));
  return { destination, destinationNames, hidden, recipient };
}
