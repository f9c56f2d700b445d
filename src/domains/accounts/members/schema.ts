import { Type } from "typebox";
import { formatDateTime } from "../../../platform/dates.ts";
import {
  CursorQuery,
  DateTime,
  Described,
  Email,
  Guid,
  OneOf,
  OrNull,
} from "../../../platform/http/schema.ts";
import { grantableRoles, roles } from "../role.ts";
import { Password, PersonName } from "../users/schema.ts";
import type { RosterEntry } from "./actions.ts";
import type { InviteView } from "./invite-actions.ts";
import { type Invite, isInviteOpen, type Member } from "./member.ts";

export const RosterQuery = Type.Object({
  ...CursorQuery,
  search: Type.Optional(
    Type.String({
      description: "Only those whose name or email contains this text.",
      minLength: 1,
      maxLength: 254,
    }),
  ),
  type: Described(Type.Optional(OneOf(["member", "invite"])), "Only members, or only invites."),
  role: Described(Type.Optional(OneOf(roles)), "Only those with this role."),
  status: Described(
    Type.Optional(OneOf(["ACTIVE", "PENDING", "EXPIRED"])),
    "Only those with this status.",
  ),
});

export const MemberParams = Type.Object({ userId: Described(Guid, "The user's id.") });
export const InviteParams = Type.Object({ inviteId: Described(Guid, "The invite's id.") });
export const MemberChange = Type.Object(
  { role: Described(OneOf(roles), "What they may do.") },
  { title: "MemberChange" },
);
export const InviteBody = Type.Object(
  {
    email: Described(Email, "The email address.", "ada@example.com"),
    role: Described(OneOf(grantableRoles), "What they may do."),
  },
  { title: "InviteInput" },
);
const token = Type.String({
  minLength: 20,
  maxLength: 200,
  description: "What the invite was answered with, or what stands behind `token=` in its link.",
  examples: ["vdi_4Zs0kq2mX8v1Jt7LQyWcR5uN"],
});
export const InviteToken = Type.Object({ token }, { title: "InviteToken" });
export const InviteAnswer = Type.Object(
  {
    token,
    name: Described(Type.Optional(PersonName), "Your name, if you are new here.", "Ada"),
    password: Password,
  },
  { title: "InviteAcceptance" },
);

export const MemberSchema = Type.Object(
  {
    type: Described(OneOf(["member"]), "A member, not an invite."),
    accountId: Described(Guid, "The account's id."),
    userId: Described(Guid, "The user's id."),
    name: Described(OrNull(Type.String()), "Their name; null: none was given.", "Ada"),
    email: Type.String({ description: "The email address.", examples: ["ada@example.com"] }),
    role: Described(OneOf(roles), "What they may do."),
    status: Described(OneOf(["ACTIVE"]), "Always ACTIVE."),
    createdAt: Described(DateTime, "When it was created."),
    updatedAt: Described(DateTime, "When it was last changed."),
    isSupportMembership: Type.Boolean({ description: "Always false." }),
    ssoEnabled: Type.Boolean({ description: "Always false." }),
    mfaEnabled: Type.Boolean({ description: "Always false." }),
  },
  { title: "Member" },
);

const shownInvite = {
  type: Described(OneOf(["invite"]), "An invite, not a member."),
  id: Described(Guid, "Its id."),
  accountId: Described(Guid, "The account's id."),
  email: Type.String({ description: "The email address.", examples: ["ada@example.com"] }),
  role: Described(OneOf(grantableRoles), "What they may do."),
  status: Described(OneOf(["PENDING", "EXPIRED"]), "Whether it can still be accepted."),
  inviterEmail: Type.String({ description: "Who invited them.", examples: ["owner@example.com"] }),
  createdAt: Described(DateTime, "When it was created."),
  updatedAt: Described(DateTime, "When it was last changed."),
  expiresAt: Described(DateTime, "Until when it can be accepted."),
};

export const InviteSchema = Type.Object(shownInvite, { title: "Invite" });
export const CreatedInviteSchema = Type.Object(
  {
    ...shownInvite,
    token: Type.String({ description: "Who has it may join. It is never shown again." }),
    url: Type.String({
      description: "Where the person accepts it in a browser.",
      examples: ["http://127.0.0.1:3000/invite#token=q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE"],
    }),
    isMailed: Type.Boolean({ description: "Whether it was mailed to them." }),
    mailFault: Described(
      OrNull(Type.String()),
      "Why the mail was not sent; null: it was, or this server sends none.",
      null,
    ),
  },
  { title: "CreatedInvite" },
);

export const InviteViewSchema = Type.Object(
  {
    accountId: Described(Guid, "The account's id."),
    accountName: Type.String({ description: "The account's name.", examples: ["Acme"] }),
    inviterEmail: Type.String({
      description: "Who invited them.",
      examples: ["owner@example.com"],
    }),
    email: Type.String({ description: "Who is invited.", examples: ["ada@example.com"] }),
    role: Described(OneOf(grantableRoles), "What they may do."),
    expiresAt: Described(DateTime, "Until when it can be accepted."),
    isKnown: Type.Boolean({
      description: "Whether somebody with this address can sign in here already.",
    }),
  },
  { title: "InviteView" },
);

export function toWireInviteView(view: InviteView) {
  const { accountId, accountName, inviterEmail, email, role, isKnown } = view;
  const expiresAt = formatDateTime(view.expiresAt);
  return { accountId, accountName, inviterEmail, email, role, isKnown, expiresAt };
}

export const RosterPage = Type.Object({
  members: Type.Array(Type.Union([MemberSchema, InviteSchema]), {
    description: "Members and invites.",
  }),
  length: Type.Integer({ description: "How many entries are on this page." }),
  nextId: Described(
    OrNull(Type.String()),
    "Send it as `nextId` for the next page; null on the last one.",
    null,
  ),
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
