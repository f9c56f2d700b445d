import { createSecret } from "../../../platform/secrets.ts";
import type { Caller } from "../caller.ts";
import { isAtLeast, lesserRole, type Role } from "../role.ts";

/**
 * A user key acts as its owner in every account the owner is a member of; a service key acts for
 * one account.
 */
export const apiKeyTypes = ["USER", "SERVICE"] as const;
export type ApiKeyType = (typeof apiKeyTypes)[number];

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly type: ApiKeyType;
  readonly userId: string | null;
  readonly role: Role;
  readonly lastFour: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastUsedAddress: string | null;
}

export interface ApiKeyInput {
  readonly name: string;
  readonly type?: ApiKeyType | undefined;
  readonly role?: Role | undefined;
  readonly expiresAt?: Date | null | undefined;
}

export type ApiKeyDecision =
  | { readonly kind: "granted"; readonly type: ApiKeyType; readonly role: Role }
  | { readonly kind: "role-above-own" }
  | { readonly kind: "service-keys-need-admin" }
  | { readonly kind: "no-person-to-own-it" };

export function createRawKey(): string {
  return `vd_${createSecret(32)}`;
}

export function maskKey(lastFour: string): string {
  return `...${lastFour}`;
}

/**
 * Decides type and role of a new key. A key never has more rights than the caller who creates it.
 */
export function decideApiKey(caller: Caller, input: ApiKeyInput): ApiKeyDecision {
  const type = input.type ?? (caller.userId === null ? "SERVICE" : "USER");
  const role = input.role ?? lesserRole(caller.role, "READ_WRITE");
  if (!isAtLeast(caller.role, role)) return { kind: "role-above-own" };
  if (type === "SERVICE" && !isAtLeast(caller.role, "ADMIN")) {
    return { kind: "service-keys-need-admin" };
  }
  if (type === "USER" && caller.userId === null) return { kind: "no-person-to-own-it" };
  return { kind: "granted", type, role };
}

/** Users can view and revoke their own keys; administrators, all keys of the account. */
export function mayHandle(caller: Caller, key: Pick<ApiKey, "userId">): boolean {
  return isAtLeast(caller.role, "ADMIN") || (key.userId !== null && key.userId === caller.userId);
}
