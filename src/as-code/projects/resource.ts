import type { Encryption } from "../../platform/encryption.ts";
import { invalid, KnownError } from "../../platform/errors.ts";

/** Resource types in the order of creation. */
export const resourceTypes = [
  "environment-variable",
  "client-certificate",
  "snippet",
  "status-page-service",
  "private-location",
  "on-call-schedule",
  "alert-channel",
  "escalation-policy",
  "check-group",
  "check",
  "private-location-group-assignment",
  "private-location-check-assignment",
  "alert-channel-subscription",
  "status-page",
  "status-page-component",
  "status-page-automation-rule",
  "maintenance-window",
  "dashboard",
] as const;

export type ResourceType = (typeof resourceTypes)[number];

/** Resource types that existing clients do not know. */
export const ownTypes: readonly ResourceType[] = [
  "environment-variable",
  "client-certificate",
  "snippet",
  "on-call-schedule",
  "escalation-policy",
];

/** Maximum number of resources in a project. */
export const maxResources = 5_000;

export const logicalIdPattern = "^[A-Za-z0-9_\\-/#.]+$";

/** JSON object without undefined values. */
export type Fields = Readonly<Record<string, unknown>>;

/** A resource as the code of a project describes it. References are `{ref: logicalId}`. */
export interface DesiredResource {
  readonly type: ResourceType;
  readonly logicalId: string;
  /** Fields of the resource; `null` for an object that the project references but does not own. */
  readonly payload: Fields | null;
  readonly physicalId: string | null;
  /** Whether the project owns the resource. */
  readonly isMember: boolean;
  readonly sourceFile: string | null;
}

/**
 * All settings of a resource in two forms. `clear` contains the secrets. In `shown`, the secrets
 * are masked.
 */
export interface Definition {
  readonly clear: Fields;
  /** Settings with masked secrets. */
  readonly shown: Fields;
}

/** A resource that a project owns, in the state of the last deployment. */
export interface OwnedResource {
  readonly type: ResourceType;
  readonly logicalId: string;
  readonly physicalId: string;
  /**
   * Fields that the code described; `null` before the first deployment, for example after an
   * import.
   */
  readonly deployed: Fields | null;
  /** Definition that was stored. Differs from `deployed` where the server normalised a value. */
  readonly baseline: Definition | null;
}

type Remembered = Pick<OwnedResource, "deployed" | "baseline">;

/**
 * Decrypts the state of the last deployment. Returns no state if the encryption key has changed.
 */
export function openRemembered(encryption: Encryption, sealed: string | null): Remembered {
  const text = sealed === null ? null : encryption.tryDecrypt(sealed);
  return text === null ? { deployed: null, baseline: null } : JSON.parse(text);
}

/** Encrypts the state of the last deployment: the described fields and the stored definition. */
export function sealRemembered(
  encryption: Encryption,
  { deployed, baseline }: Remembered,
): string | null {
  return deployed === null ? null : encryption.encrypt(JSON.stringify({ deployed, baseline }));
}

export const keyOf = ({ type, logicalId }: Pick<DesiredResource, "type" | "logicalId">) =>
  `${type} ${logicalId}`;

/** Returns a mutable JSON copy of a value. Fields that are `undefined` are omitted. */
export function toFields(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}

/** Adds the name of the resource to an error message, because clients show only the message. */
export function nameResource(
  { type, logicalId }: Pick<DesiredResource, "type" | "logicalId">,
  error: unknown,
): unknown {
  if (!(error instanceof KnownError)) return error;
  const { errorName, message, validation, fieldErrors } = error;
  return new KnownError(errorName === "notFound" ? "invalidRequest" : errorName, {
    message: `${type} "${logicalId}": ${message}`,
    ...(validation && { validation }),
    ...(fieldErrors && { fieldErrors }),
  });
}

/** Maximum number of faults that one error names. */
const maxFaults = 50;

/** Collects the faults of several resources, so that one error names all of them. */
export class Faults {
  readonly #errors: KnownError[] = [];
  readonly #keys = new Set<string>();

  get isEmpty(): boolean {
    return this.#keys.size === 0;
  }

  get isFull(): boolean {
    return this.#errors.length >= maxFaults;
  }

  /** Adds an error of a resource, which is thrown if it is not the fault of the caller. */
  add(resource: Pick<DesiredResource, "type" | "logicalId">, error: unknown): void {
    if (!(error instanceof KnownError)) throw error;
    this.#errors.push(error);
    this.skip(resource);
  }

  /** Treats a resource as faulty without a separate error. */
  skip(resource: Pick<DesiredResource, "type" | "logicalId">): void {
    this.#keys.add(keyOf(resource));
  }

  has(resource: Pick<DesiredResource, "type" | "logicalId">): boolean {
    return this.#keys.has(keyOf(resource));
  }

  /** Returns whether a resource is faulty or references a faulty one, and remembers it. */
  affects(resource: DesiredResource): boolean {
    if (this.isEmpty || this.has(resource)) return this.has(resource);
    const isBroken = listReferences(resource).some((key) => this.#keys.has(key));
    if (isBroken) this.skip(resource);
    return isBroken;
  }

  throwIfAny(): void {
    const [first, ...others] = this.#errors;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const shown = this.#errors.slice(0, maxFaults).map(({ message }) => message);
    const rest = this.#errors.length - shown.length;
    const more = rest > 0 || this.isFull ? ["There may be more."] : [];
    const isSame = others.every(({ errorName }) => errorName === first.errorName);
    throw new KnownError(isSame ? first.errorName : "invalidRequest", {
      message: [`${this.#errors.length} resources are rejected:`, ...shown, ...more].join("\n"),
      ...(first.validation && { validation: first.validation }),
    });
  }
}

/** Resource type that a field references, keyed by field name. */
export const referenceTypes: Readonly<Record<string, ResourceType>> = {
  groupId: "check-group",
  checkId: "check",
  alertChannelId: "alert-channel",
  privateLocationId: "private-location",
  serviceId: "status-page-service",
  services: "status-page-service",
  groupIds: "check-group",
  checkIds: "check",
  statusPageId: "status-page",
  parentId: "status-page-component",
  componentId: "status-page-component",
  statusPageIds: "status-page",
  serviceIds: "status-page-service",
  setupSnippetId: "snippet",
  tearDownSnippetId: "snippet",
  scheduleId: "on-call-schedule",
  channelId: "alert-channel",
  escalationPolicyId: "escalation-policy",
};

/** Returns the id of a resource, or `null` if the project does not contain it. */
export type FindId = (type: ResourceType, logicalId: string) => string | number | null;

export function isReference(value: unknown): value is { readonly ref: string } {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length === 1 &&
    typeof (value as { ref?: unknown }).ref === "string"
  );
}

function resolveValue(value: unknown, path: readonly string[], findId: FindId): unknown {
  if (isReference(value)) {
    const field = path.findLast((step) => step in referenceTypes);
    const type = field === undefined ? undefined : referenceTypes[field];
    const id = type === undefined ? null : findId(type, value.ref);
    if (id === null) {
      throw invalid(path.join("."), `refers to "${value.ref}", which the project does not contain`);
    }
    return field === "services" ? { id } : id;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => resolveValue(item, [...path, String(index)], findId));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolveValue(item, [...path, key], findId)]),
  );
}

/** Replaces each `{ref}` in a payload with the id of the referenced resource. */
export function resolveReferences(
  { payload }: Pick<DesiredResource, "payload">,
  findId: FindId,
): Fields {
  return resolveValue(payload ?? {}, [], findId) as Fields;
}

/** Lists the keys of the resources that a resource references. */
function listReferences({ payload }: DesiredResource): string[] {
  const keys: string[] = [];
  resolveReferences({ payload }, (type, logicalId) => {
    keys.push(keyOf({ type, logicalId }));
    return logicalId;
  });
  return keys;
}
