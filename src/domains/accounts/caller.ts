import type { Role } from "./role.ts";
import { lesserRole } from "./role.ts";

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

export interface CallOrigin {
  readonly address: string;
  readonly requestId: string;
}

export function isExpired({ expiresAt }: Credential, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}

function findRole({ roles, roleLimit }: Credential, accountId: string): Role | null {
  const granted = roles[accountId];
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
