import type { Role } from "./role.ts";
import { lesserRole } from "./role.ts";

/** What a secret proves: which key or session it is, and for which accounts it may act. */
export interface Credential {
  readonly type: "API_KEY" | "SESSION";
  readonly id: string;
  /** Null for a service key, which belongs to an account and to no person. */
  readonly userId: string | null;
  /** How people know it: a name and the last four characters, or an email address. */
  readonly label: string;
  /** The account a request is for when it names none. */
  readonly homeAccountId: string | null;
  /** A key's own limit; a session has the full role of its user. */
  readonly roleLimit: Role | null;
  readonly expiresAt: Date | null;
  /** The role in each account it may act for, before the limit. */
  readonly roles: Readonly<Record<string, Role>>;
  readonly accountIds: readonly string[];
  /** Accounts that ask for a second factor, when its user has none. */
  readonly accountsThatAskMore: readonly string[];
}

/** Who is calling, for which account, with which role. */
export interface Caller {
  readonly type: Credential["type"];
  readonly credentialId: string;
  readonly userId: string | null;
  readonly label: string;
  readonly accountId: string;
  readonly role: Role;
  readonly address: string;
  readonly requestId: string;
  /** Every account the caller may act for. */
  readonly accountIds: readonly string[];
  /** The role in each of them. */
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

/** Null when the credential cannot act for that account, whether or not the account exists. */
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
