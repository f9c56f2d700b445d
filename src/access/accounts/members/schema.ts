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
import { grantableRoles, roles } from "../caller.ts";
import { Password, PersonName } from "../users/user.ts";
import type { InviteView, RosterEntry } from "./actions.ts";
import { type Invite, isInviteOpen, type Member } from "./member-store.ts";

export const RosterQuery = Type.Object({
  ...CursorQuery,
  search: Type.Optional(
    Type.String({
      description: "Only entries whose name or email contains this text.",
      minLength: 1,
      maxLength: 254,
    }),
  ),
  type: Described(Type.Optional(OneOf(["member", "invite"])), "Only members, or only invites."),
  role: Described(Type.Optional(OneOf(roles)), "Only entries with this role."),
  status: Described(
    Type.Optional(OneOf(["ACTIVE", "PENDING", "EXPIRED"])),
    "Only entries with this status.",
  ),
});

export const MemberParams = Type.Object({ userId: Described(Guid, "The user's id.") });
export const InviteParams = Type.Object({ inviteId: Described(Guid, "The invite's id.") });
export const MemberChange = Type.Object(
  { role: Described(OneOf(roles), "Role of the member.") },
  { title: "MemberChange" },
);
export const InviteBody = Type.Object(
  {
    email: Described(Email, "Email address of the person to invite.", "ada@example.com"),
    role: Described(OneOf(grantableRoles), "Role the person will have."),
  },
  { title: "InviteInput" },
);
const token = Type.String({
  minLength: 20,
  maxLength: 200,
  description:
    "Token of the invite: `token` of the response, or the value after `token=` in the link.",
  examples: ["vdi_4Zs0kq2mX8v1Jt7LQyWcR5uN"],
});
export const InviteToken = Type.Object({ token }, { title: "InviteToken" });
export const InviteAnswer = Type.Object(
  {
    token,
    name: Described(Type.Optional(PersonName), "Your name, if you have no user yet.", "Ada"),
    password: Password,
  },
  { title: "InviteAcceptance" },
);

export const MemberSchema = Type.Object(
  {
    type: Described(OneOf(["member"]), "Always `member`."),
    accountId: Described(Guid, "The account's id."),
    userId: Described(Guid, "The user's id."),
    name: Described(OrNull(Type.String()), "Name of the user; `null` if not set.", "Ada"),
    email: Type.String({ description: "The email address.", examples: ["ada@example.com"] }),
    role: Described(OneOf(roles), "Role of the member."),
    status: Described(OneOf(["ACTIVE"]), "Always ACTIVE."),
    createdAt: Described(DateTime, "Time the member joined."),
    updatedAt: Described(DateTime, "Time of the last change."),
    isSupportMembership: Type.Boolean({ description: "Always false." }),
    ssoEnabled: Type.Boolean({ description: "Always false." }),
    mfaEnabled: Type.Boolean({ description: "Always false." }),
  },
  { title: "Member" },
);

const shownInvite = {
  type: Described(OneOf(["invite"]), "Always `invite`."),
  id: Described(Guid, "Its id."),
  accountId: Described(Guid, "The account's id."),
  email: Type.String({ description: "The email address.", examples: ["ada@example.com"] }),
  role: Described(OneOf(grantableRoles), "Role the person will have."),
  status: Described(OneOf(["PENDING", "EXPIRED"]), "Whether the invite can still be accepted."),
  inviterEmail: Type.String({
    description: "Email address of the inviter.",
    examples: ["owner@example.com"],
  }),
  createdAt: Described(DateTime, "Creation time."),
  updatedAt: Described(DateTime, "Time of the last change."),
  expiresAt: Described(DateTime, "Expiry time."),
};

const InviteSchema = Type.Object(shownInvite, { title: "Invite" });
export const CreatedInviteSchema = Type.Object(
  {
    ...shownInvite,
    token: Described(
      OrNull(Type.String()),
      "Anyone who has this token can join. It is never shown again; `null` if it was mailed.",
    ),
    url: Described(
      OrNull(Type.String()),
      "Link that opens the invite in a browser; `null` if it was mailed.",
      "http://127.0.0.1:3000/invite#token=q5n1L0bq7cU4nXf3yT9dVw2sJ8kHr6mPzA1eGiCoBvE",
    ),
    isMailed: Type.Boolean({ description: "Whether the link was mailed to the person." }),
    mailFault: Described(
      OrNull(Type.String()),
      "Why the mail was not sent; `null` if it was sent or the server cannot send mail.",
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
      description: "Email address of the inviter.",
      examples: ["owner@example.com"],
    }),
    email: Type.String({
      description: "Email address of the invited person.",
      examples: ["ada@example.com"],
    }),
    role: Described(OneOf(grantableRoles), "Role the person will have."),
    expiresAt: Described(DateTime, "Expiry time."),
    isKnown: Type.Boolean({
      description: "Whether a user with this address already exists.",
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
  length: Type.Integer({ description: "Number of entries on this page." }),
  nextId: Described(
    OrNull(Type.String()),
    "Pass it as `nextId` to fetch the next page; `null` on the last page.",
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

/**
 * Converts a page of the roster. An entry beyond the limit is not shown; its id becomes `nextId`.
 */
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
