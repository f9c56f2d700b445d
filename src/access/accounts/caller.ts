import { KnownError } from "../../platform/errors.ts";

/** Roles in ascending order. Each role includes the permissions of the roles before it. */
export const roles = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;
export type Role = (typeof roles)[number];

/** Roles that an invite can grant. Only an owner can make another member an owner. */
export const grantableRoles = ["ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"] as const;
export type GrantableRole = (typeof grantableRoles)[number];

/**
 * Access levels of routes. `public` needs no credential. `self` is for a user's own data: a session
 * may have any role, but an API key must have write access, so that a read-only key can never
 * create a more powerful key.
 */
const accesses = ["public", "read", "run", "write", "admin", "owner", "self"] as const;
export type Access = (typeof accesses)[number];

const leastRole: Readonly<Record<Exclude<Access, "public" | "self">, Role>> = {
  read: "READ_ONLY",
  run: "READ_RUN",
  write: "READ_WRITE",
  admin: "ADMIN",
  owner: "OWNER",
};

const ranks = Object.fromEntries(roles.map((role, rank) => [role, rank])) as Record<Role, number>;

export function isAtLeast(role: Role, least: Role): boolean {
  return ranks[role] >= ranks[least];
}

export function lesserRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}

export function isAllowed(access: Access, role: Role, isSession: boolean): boolean {
  if (access === "public") return true;
  if (access === "self") return isSession || isAtLeast(role, leastRole.write);
  return isAtLeast(role, leastRole[access]);
}

/**
 * Throws 403 if the role of a caller is too low. Actions call it, not only routes: a project, an
 * import, the agent and MCP call the same actions as a route.
 */
export function requireAccess(
  { role, type }: Pick<Caller, "role" | "type">,
  access: keyof typeof leastRole,
): void {
  if (isAllowed(access, role, type === "SESSION")) return;
  const message = `needs the role ${leastRole[access]}; the caller has ${role}`;
  throw new KnownError("forbidden", { message });
}

/** An API operation with the access level of its route. */
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly access: Exclude<Access, "public">;
}

export interface OperationRoles extends Operation {
  /**
   * Lowest role of a user who may call the operation with a session. `leastKeyRole` is the lowest
   * role for an API key.
   */
  readonly leastRole: Role;
  readonly leastKeyRole: Role;
}

function findLeast(access: Access, isSession: boolean): Role {
  const least = roles.find((role) => isAllowed(access, role, isSession));
  if (least === undefined) throw new Error(`no role has access ${access}`);
  return least;
}

/**
 * Adds the lowest sufficient roles. They are computed with the function that authorises requests.
 */
export function addRoles(operation: Operation): OperationRoles {
  return {
    ...operation,
    leastRole: findLeast(operation.access, true),
    leastKeyRole: findLeast(operation.access, false),
  };
}

/** A verified API key or session, with the accounts for which it may act. */
export interface Credential {
  readonly type: "API_KEY" | "SESSION";
  readonly id: string;
  /** Id of the user; `null` for a service key, which belongs to an account instead of a user. */
  readonly userId: string | null;
  /** Display text: the name and the last four characters of a key, or the user's email address. */
  readonly label: string;
  /** Id of the account that is used if a request names none; `null` if the user has no account. */
  readonly homeAccountId: string | null;
  /** Maximum role of an API key; `null` for a session, which has the role of its user. */
  readonly roleLimit: Role | null;
  readonly expiresAt: Date | null;
  /** Role by account id, before `roleLimit` is applied. */
  readonly roles: Readonly<Record<string, Role>>;
  readonly accountIds: readonly string[];
  /** Ids of the accounts that require a second factor. Empty if the user has a second factor. */
  readonly accountsRequiringSecondFactor: readonly string[];
}

/** The authenticated caller of a request, with account, role and origin. */
export interface Caller {
  readonly type: Credential["type"];
  readonly credentialId: string;
  readonly userId: string | null;
  readonly label: string;
  readonly accountId: string;
  readonly role: Role;
  readonly address: string;
  readonly requestId: string;
  /** Ids of all accounts for which the caller may act. */
  readonly accountIds: readonly string[];
  /** Returns the caller's role in an account, or `null` if the caller may not act there. */
  readonly roleIn: (accountId: string) => Role | null;
}

interface CallOrigin {
  readonly address: string;
  readonly requestId: string;
}

export function isExpired({ expiresAt }: Credential, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}

function findRole({ roles, roleLimit }: Credential, accountId: string): Role | null {
  const granted = Object.hasOwn(roles, accountId) ? roles[accountId] : undefined;
  if (granted === undefined) return null;
  return roleLimit === null ? granted : lesserRole(granted, roleLimit);
}

/**
 * Returns the caller for an account. Returns `null` if the credential may not act for the account,
 * whether or not the account exists.
 */
export function decideCaller(
  credential: Credential,
  requestedAccountId: string | null,
  origin: CallOrigin,
): Caller | null {
  const accountId = requestedAccountId ?? credential.homeAccountId;
  const role = accountId === null ? null : findRole(credential, accountId);
  if (accountId === null || role === null) return null;
  return {
    type: credential.type,
    credentialId: credential.id,
    userId: credential.userId,
    label: credential.label,
    accountId,
    role,
    address: origin.address,
    requestId: origin.requestId,
    accountIds: credential.accountIds,
    roleIn: (id) => findRole(credential, id),
  };
}
