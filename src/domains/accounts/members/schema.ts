import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorQuery,
  DateTime,
  Email,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { grantableRoles, roles } from "../role.ts";
import { Password, PersonName } from "../users/schema.ts";
import type { RosterEntry } from "./actions.ts";
import { type Invite, isInviteOpen, type Member } from "./member.ts";

export const RosterQuery = Type.Object({
  ...CursorQuery,
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
  type: Type.Optional(OneOf(["member", "invite"])),
  role: Type.Optional(OneOf(roles)),
  status: Type.Optional(OneOf(["ACTIVE", "PENDING", "EXPIRED"])),
});

export const MemberParams = Type.Object({ userId: Guid });
export const InviteParams = Type.Object({ inviteId: Guid });
export const MemberChange = Type.Object({ role: OneOf(roles) });
export const InviteBody = Type.Object({ email: Email, role: OneOf(grantableRoles) });
export const InviteAnswer = Type.Object({
  token: Type.String({
    minLength: 20,
    maxLength: 200,
    description: "What the invite was answered with.",
    examples: ["vdi_4Zs0kq2mX8v1Jt7LQyWcR5uN"],
  }),
  name: Type.Optional(PersonName),
  password: Password,
});

export const MemberSchema = Type.Object({
  type: OneOf(["member"]),
  accountId: Guid,
  userId: Guid,
  name: OrNull(Type.String()),
  email: Type.String(),
  role: OneOf(roles),
  status: OneOf(["ACTIVE"]),
  createdAt: DateTime,
  updatedAt: DateTime,
  isSupportMembership: Type.Boolean(),
  ssoEnabled: Type.Boolean(),
  mfaEnabled: Type.Boolean(),
});

const shownInvite = {
  type: OneOf(["invite"]),
  id: Guid,
  accountId: Guid,
  email: Type.String(),
  role: OneOf(grantableRoles),
  status: OneOf(["PENDING", "EXPIRED"]),
  inviterEmail: Type.String(),
  createdAt: DateTime,
  updatedAt: DateTime,
  expiresAt: DateTime,
};

export const InviteSchema = Type.Object(shownInvite);
export const CreatedInviteSchema = Type.Object({
  ...shownInvite,
  token: Type.String({ description: "Hand it to the person invited. It is never shown again." }),
});

export const RosterPage = Type.Object({
  members: Type.Array(Type.Union([MemberSchema, InviteSchema])),
  length: Type.Integer(),
  nextId: OrNull(Type.String()),
});

export function toWireMember(member: Member, accountId: string) {
  return {
    type: "member" as const,
    accountId,
    userId: member.userId,
    name: member.name,
    email: member.email,
    role: member.role,
    status: "ACTIVE" as const,
    createdAt: formatDateTime(member.createdAt),
    updatedAt: formatDateTime(member.updatedAt),
    isSupportMembership: false,
    ssoEnabled: false,
    mfaEnabled: false,
  };
}

export function toWireInvite(invite: Invite, accountId: string, now: Date) {
  return {
    type: "invite" as const,
    id: invite.id,
    accountId,
    email: invite.email,
    role: invite.role,
    status: isInviteOpen(invite, now) ? ("PENDING" as const) : ("EXPIRED" as const),
    inviterEmail: invite.inviterEmail,
    createdAt: formatDateTime(invite.createdAt),
    updatedAt: formatDateTime(invite.updatedAt),
    expiresAt: formatDateTime(invite.expiresAt),
  };
}

/** Asked for one entry more than the page holds, to know where the next page begins. */
export function toWireRoster(
  entries: readonly RosterEntry[],
  page: { readonly accountId: string; readonly limit: number; readonly now: Date },
) {
  const { accountId, limit, now } = page;
  const members = entries
    .slice(0, limit)
    .map((entry) =>
      entry.type === "member"
        ? toWireMember(entry, accountId)
        : toWireInvite(entry, accountId, now),
    );
  return { members, length: members.length, nextId: entries[limit]?.id ?? null };
}
