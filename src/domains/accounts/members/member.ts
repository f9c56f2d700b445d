import type { GrantableRole, Role } from "../role.ts";
import { isAtLeast } from "../role.ts";

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Invite {
  readonly id: string;
  readonly email: string;
  readonly role: GrantableRole;
  readonly inviterEmail: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
}

/** Completes "You may …" in invitations. */
export const roleWords: Readonly<Record<GrantableRole, string>> = {
  READ_ONLY: "view everything and change nothing",
  READ_RUN: "view everything and run checks",
  READ_WRITE: "change checks, alerts and pages",
  ADMIN: "change everything and invite people",
};

export function buildInviteUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/invite#token=${token}`;
}

export type MemberDecision = "allowed" | "needs-owner" | "last-owner";

export const inviteLifetimeMs = 7 * 86_400_000;

/** Only an owner may add or change owners, and an account always has at least one. */
export function decideMemberChange(
  callerRole: Role,
  change: { readonly from: Role; readonly to: Role | null; readonly ownerCount: number },
): MemberDecision {
  const concernsOwner = change.from === "OWNER" || change.to === "OWNER";
  if (concernsOwner && !isAtLeast(callerRole, "OWNER")) return "needs-owner";
  const losesOwner = change.from === "OWNER" && change.to !== "OWNER";
  return losesOwner && change.ownerCount <= 1 ? "last-owner" : "allowed";
}

/** Members cannot invite to a role above their own. */
export function mayInvite(callerRole: Role, invitedRole: GrantableRole): boolean {
  return isAtLeast(callerRole, invitedRole);
}

export function isInviteOpen(invite: Invite, now: Date): boolean {
  return invite.expiresAt > now;
}
