/**
 * Ordered from least to most powerful. Each role includes the permissions of the roles before it.
 */
export const roles = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;
export type Role = (typeof roles)[number];

/** Roles that an invite can grant. Only an owner can make another member an owner. */
export const grantableRoles = ["ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"] as const;
export type GrantableRole = (typeof grantableRoles)[number];

/**
 * Access level of a route. `public` needs no credential. `self` covers a user's own data, whatever
 * their role; an API key needs write access for it, so that a read-only key can never create a
 * stronger one.
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

/** An operation of the API and the access level of its route. */
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly access: Exclude<Access, "public">;
}

export interface OperationRoles extends Operation {
  /** Lowest role of a user, and of an API key, that may call the operation. */
  readonly leastRole: Role;
  readonly leastKeyRole: Role;
}

function findLeast(access: Access, isSession: boolean): Role {
  const least = roles.find((role) => isAllowed(access, role, isSession));
  if (least === undefined) throw new Error(`no role has access ${access}`);
  return least;
}

/** Uses the same function that authorises requests. */
export function addRoles(operation: Operation): OperationRoles {
  return {
    ...operation,
    leastRole: findLeast(operation.access, true),
    leastKeyRole: findLeast(operation.access, false),
  };
}

/** A verified API key or session, and the accounts it may act for. */
export interface Credential {
  readonly type: "API_KEY" | "SESSION";
  readonly id: string;
  /** `null` for a service key, which belongs to an account and not to a user. */
  readonly userId: string | null;
  /** Shown to people: name and last four characters of a key, or an email address. */
  readonly label: string;
  /** The account used when a request names none. */
  readonly homeAccountId: string | null;
  /** Maximum role of an API key. A session has the full role of its user. */
  readonly roleLimit: Role | null;
  readonly expiresAt: Date | null;
  /** Role in each account, before `roleLimit` is applied. */
  readonly roles: Readonly<Record<string, Role>>;
  readonly accountIds: readonly string[];
  /** Accounts that require a second factor, if the user has none. */
  readonly accountsRequiringSecondFactor: readonly string[];
}

/** The authenticated caller of a request: account, role and origin. */
export interface Caller {
  readonly type: Credential["type"];
  readonly credentialId: string;
  readonly userId: string | null;
  readonly label: string;
  readonly accountId: string;
  readonly role: Role;
  readonly address: string;
  readonly requestId: string;
  /** All accounts the caller may act for. */
  readonly accountIds: readonly string[];
  /** Returns the caller's role in one of these accounts. */
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
 * Returns `null` if the credential cannot act for that account, whether or not the account exists.
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
