import {
  type ChannelType,
  channelKinds,
  findConfigFault,
} from "../../channels/alert-channels/index.ts";
import { checkBodies } from "../../checks/checks/index.ts";
import { type CheckType, kinds } from "../../kinds/index.ts";
import type { KindPayload } from "../../kinds/kit/check-payloads.ts";
import type { AddressRules } from "../../platform/outbound-guard.ts";
import { toShortLine } from "../../platform/text/clip.ts";
import {
  type ChangedItem,
  type CheckHistory,
  type DesiredResource,
  type LeftOutItem,
  type PushAlias,
  type Reading,
  type ResourceType,
  reference,
  UnreadableFile,
} from "./reading.ts";

type ChannelConfig = Parameters<typeof findConfigFault>[0]["config"];

const maxLogicalIdLength = 255;
const logicalIds = /^[A-Za-z0-9_\-/#.]+$/;

type Body = DesiredResource["payload"];

const isBody = (value: unknown): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Placeholder for the id of a resource that does not exist yet. */
const someId = "00000000-0000-4000-8000-000000000000";

/**
 * Prepares a payload for validation. References have no id yet, so top-level references are removed
 * and nested ones get a placeholder id.
 */
function withoutReferences(payload: Body): Record<string, unknown> {
  const fields = Object.entries(payload).filter(([, value]) => !isBody(value) || !("ref" in value));
  const fill = (value: unknown) => (isBody(value) && "ref" in value ? someId : value);
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      isBody(value)
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]))
        : value,
    ]),
  );
}

/** Returns the reason why Vedette would reject an imported resource; `null` if there is none. */
export function findResourceFault(
  { type, logicalId, payload }: DesiredResource,
  rules: AddressRules,
): string | null {
  if (logicalId.length > maxLogicalIdLength || !logicalIds.test(logicalId)) {
    return "Its identifier is not valid.";
  }
  if (type === "check") {
    const fault = checkBodies.findFault(structuredClone(withoutReferences(payload)));
    return fault === null ? null : `It is not valid here: ${fault}.`;
  }
  if (type === "alert-channel") {
    if (!Object.hasOwn(channelKinds, String(payload.type))) return "There is no such channel here.";
    const channel = { type: payload.type as ChannelType, config: payload.config as ChannelConfig };
    const fault = findConfigFault(structuredClone(channel), rules);
    return fault === null ? null : `It is not valid here: ${fault.key} ${fault.rule}.`;
  }
  return null;
}

const nouns: Readonly<Record<Exclude<ResourceType, "check">, string>> = {
  "alert-channel": "alert channel",
  "check-group": "group",
  "alert-channel-subscription": "subscription",
  "status-page-service": "service",
  "status-page": "status page",
  "maintenance-window": "maintenance window",
  snippet: "snippet",
};

/** Returns the type of a resource in words, such as "URL check". */
function describeResource({ type, payload }: DesiredResource): string {
  if (type === "check") {
    return kinds[payload.checkType as CheckType].words.aCheck.replace(/^an? /, "");
  }
  if (type === "alert-channel") return `${payload.type} channel`;
  return nouns[type];
}

/** Maximum number of resources in one import. */
const maxResources = 20_000;
const maxNotes = 100;
const maxReportedLength = 200;

/** Addresses that alert channels may use. */
export type ReadOptions = AddressRules;

/** An object of the source, as the report shows it. */
export interface Origin {
  readonly origin: string;
  readonly name: string;
}

const shorten = (text: string) => toShortLine(text, maxReportedLength);

/** Collects the resources that a reader finds. Invalid resources are left out and reported. */
export class ReadingBuilder {
  readonly #resources = new Map<string, DesiredResource>();
  readonly #imported: { readonly origin: string; readonly name: string }[] = [];
  readonly #changed: ChangedItem[] = [];
  readonly #leftOut: LeftOutItem[] = [];
  readonly #notes: string[] = [];
  readonly #aliases: PushAlias[] = [];
  readonly #history: CheckHistory[] = [];

  readonly #options: ReadOptions;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  has(logicalId: string): boolean {
    return this.#resources.has(logicalId);
  }

  /** Adds a resource. Returns `false` if the resource is not valid and was left out. */
  add(resource: DesiredResource, name: string): boolean {
    const origin = resource.logicalId;
    if (this.#resources.size >= maxResources) {
      throw new UnreadableFile(`The file has more than ${maxResources} objects.`);
    }
    if (this.#resources.has(origin)) {
      this.leaveOut({ origin, name }, "The file contains it more than once.");
      return false;
    }
    const fault = findResourceFault(resource, this.#options);
    if (fault !== null) {
      this.leaveOut({ origin, name }, fault);
      return false;
    }
    this.#resources.set(origin, resource);
    if (resource.type !== "alert-channel-subscription") this.#imported.push({ origin, name });
    return true;
  }

  addCheck(
    { origin, name }: Origin,
    kind: KindPayload,
    common: Readonly<Record<string, unknown>>,
  ): boolean {
    const payload = { name: cutName(name), ...common, ...kind };
    return this.add({ type: "check", logicalId: origin, payload }, name);
  }

  /** Subscribes a channel to a check or a group, if both resources are imported. */
  subscribe(channel: string, target: string): void {
    const type = this.#resources.get(target)?.type;
    if (!this.has(channel) || type === undefined) return;
    const logicalId = `${type}-alert-channel-subscription#${target}#${channel}`;
    const payload = {
      alertChannelId: reference(channel),
      [type === "check" ? "checkId" : "groupId"]: reference(target),
      activated: true,
    };
    this.add({ type: "alert-channel-subscription", logicalId, payload }, logicalId);
  }

  change(
    { origin, name }: Origin,
    field: string,
    { from, to, why }: { readonly from: unknown; readonly to: unknown; readonly why: string },
  ): void {
    const texts = { from: shorten(String(from)), to: shorten(String(to)), why };
    this.#changed.push({ origin, name: shorten(name), field, ...texts });
  }

  leaveOut({ origin, name }: Origin, why: string): void {
    this.#leftOut.push({ origin, name: shorten(name), why });
  }

  note(text: string): void {
    if (this.#notes.length < maxNotes && !this.#notes.includes(text)) this.#notes.push(text);
  }

  addAlias(alias: PushAlias): void {
    if (this.has(alias.check)) this.#aliases.push(alias);
  }

  addHistory(history: CheckHistory): void {
    if (this.has(history.check)) this.#history.push(history);
  }

  finish(): Reading {
    const imported = this.#imported.map(({ origin, name }) => {
      const resource = this.#resources.get(origin) as DesiredResource;
      return {
        origin,
        type: resource.type,
        name: shorten(name),
        as: describeResource(resource),
      };
    });
    const left = new Set(this.#leftOut.map(({ origin }) => origin));
    // Do not report changes of a resource that was left out, because they would confuse users.
    const changed = this.#changed.filter(({ origin }) => this.has(origin) || !left.has(origin));
    return {
      resources: [...this.#resources.values()],
      aliases: this.#aliases,
      history: this.#history,
      report: { imported, changed, leftOut: this.#leftOut, notes: this.#notes },
    };
  }
}

const maxNameLength = 255;

/** Returns a valid name. A long name is truncated, and an empty name becomes "Unnamed". */
export function cutName(name: string): string {
  const cleaned = name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return cleaned === "" ? "Unnamed" : cleaned.slice(0, maxNameLength).toWellFormed();
}
