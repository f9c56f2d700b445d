import { type CheckType, kinds } from "../../kinds/index.ts";
import { fillVariables } from "../../kinds/variables/template.ts";
import type { Encryption } from "../../platform/encryption.ts";
import { isHidden, openValue, type StoredVariable } from "../variables/index.ts";
import { applyGroupSettings, type CheckGroup } from "./check-group.ts";
import type { CheckSettings } from "./check-settings.ts";
import { listDefaultSecrets } from "./group-defaults.ts";

/** One or several hidden values and their owner. */
export interface HiddenSource {
  /** Identical for every check that sends values of this source. */
  readonly key: string;
  readonly label: string;
  readonly values: readonly string[];
}

/** Which hidden values a check sends, and to which destination. */
export interface Sending {
  /** An origin, or a host and port. */
  readonly destination: string;
  /** Variables that determine the destination. */
  readonly destinationNames: ReadonlySet<string>;
  readonly hidden: readonly HiddenSource[];
}

/** A check and its group with decrypted secrets. */
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

/** Ignores the path: the operator of a host sees requests to all of its paths. */
function toDestination(target: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null || url.origin === "null" ? target.toLowerCase() : url.origin;
}

interface FoundVariable {
  readonly stored: StoredVariable;
  readonly source: string;
  readonly label: string;
}

/** Variables of the check take precedence over those of the group, and those over the account's. */
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

function listOwnSecrets({ kind, settings }: OpenCheck): string[] {
  const values: string[] = [];
  kinds[kind].secrets?.mapSettings(settings, (text) => {
    if (text !== "") values.push(text);
    return text;
  });
  return values;
}

export function describeSending(check: OpenCheck, tools: SendingTools): Sending {
  const { id, group } = check;
  const kind = kinds[check.kind];
  const settings = applyGroupSettings(kind, check.settings, group);
  const names = new Set<string>();
  kind.texts.mapRequest(kind.toRequest(settings), (text) => noteNames(text, names));
  const destinationNames = new Set<string>();
  const target = noteNames(kind.target(settings), destinationNames);
  const open = (name: string) => {
    const found = findVariable(check, name, tools);
    return found === null ? undefined : (openValue(found.stored, tools.encryption) ?? undefined);
  };
  const hidden = [...names].flatMap((name): HiddenSource[] => {
    const found = findVariable(check, name, tools);
    if (found === null || !isHidden(found.stored)) return [];
    return [{ key: found.source, label: found.label, values: [open(name) ?? ""] }];
  });
  const own = listOwnSecrets(check);
  if (own.length > 0) {
    hidden.push({ key: `check ${id}`, label: "hidden values of the check", values: own });
  }
  const ofGroup = group === null ? [] : listDefaultSecrets(kind, group.settings);
  if (group !== null && ofGroup.length > 0) {
    const label = `hidden values of the group ${group.name}`;
    hidden.push({ key: `group ${group.id}`, label, values: ofGroup });
  }
  return { destination: toDestination(fillVariables(target, open)), destinationNames, hidden };
}

/** Whether the request contains all values, so that the caller already knows them. */
export function isTyped({ values }: HiddenSource, input: object): boolean {
  const text = JSON.stringify(input);
  return values.every((value) => text.includes(JSON.stringify(value).slice(1, -1)));
}

/** Returns what a check would send to a destination that does not receive it yet. */
export function findNewlySent(
  { destination, hidden }: Sending,
  stored: readonly Sending[],
): HiddenSource[] {
  const allowed = new Set(
    stored
      .filter((one) => one.destination === destination)
      .flatMap((one) => one.hidden.map(({ key }) => key)),
  );
  return hidden.filter(({ key }) => !allowed.has(key));
}
