import { randomUUIDv7 } from "node:crypto";
import { Type } from "typebox";
import { type Database, inTransaction } from "../../platform/database.ts";
import { formatDateTime } from "../../platform/dates.ts";
import { conflict, forbidden, notFound } from "../../platform/errors.ts";
import { DateTime, Described, Guid, Name, OneOf, OrNull } from "../../platform/http/schema.ts";
import { writeAuditEntry } from "./audit/store.ts";
import { type Caller, type OperationRoles, type Role, requireAccess, roles } from "./caller.ts";
import type { AccountsContext } from "./context.ts";
import { insertMember } from "./members/member-store.ts";
import { hasSecondFactor } from "./second-factors/second-factor.ts";
import { findFactors } from "./second-factors/store.ts";
import { type Account, insertAccount, listAccounts, lockAccount, updateAccount } from "./store.ts";

export function listOwnAccounts(context: AccountsContext, caller: Caller): Promise<Account[]> {
  return listAccounts(context.db, caller.accountIds);
}

export async function getAccount(context: AccountsContext, caller: Caller): Promise<Account> {
  const [account] = await listAccounts(context.db, [caller.accountId]);
  if (account === undefined) throw notFound();
  return account;
}

interface AccountInput {
  readonly name?: string;
  readonly requiresSecondFactor?: boolean;
}

export async function changeAccount(
  context: AccountsContext,
  caller: Caller,
  change: AccountInput,
): Promise<Account> {
  requireAccess(caller, "admin");
  const account = await inTransaction(context.db, async (db) => {
    const before = await lockAccount(db, caller.accountId);
    if (before === null) throw notFound();
    await rejectRuleChange(db, caller, { before, change });
    const at = context.clock.now();
    // Only these two fields are copied, because the request body may contain other fields, such as
    // the id of another account.
    const { name = before.name, requiresSecondFactor = before.requiresSecondFactor } = change;
    const after = { ...before, name, requiresSecondFactor };
    await updateAccount(db, after, at);
    const changes = {
      name: { from: before.name, to: after.name },
      ...(change.requiresSecondFactor !== undefined && {
        requiresSecondFactor: { from: before.requiresSecondFactor, to: after.requiresSecondFactor },
      }),
    };
    const action = "account.updated";
    await writeAuditEntry(db, caller, { action, targetId: caller.accountId, changes, at });
    return { ...after, updatedAt: at };
  });
  context.credentials.forgetAll();
  return account;
}

/**
 * Rejects a change of the second-factor rule unless the caller is an owner. An owner must have a
 * second factor before requiring one, because the rule would otherwise lock out the owner too.
 */
async function rejectRuleChange(
  db: Database,
  { role, userId }: Caller,
  { before, change }: { readonly before: Account; readonly change: AccountInput },
): Promise<void> {
  const { requiresSecondFactor: isAsked = before.requiresSecondFactor } = change;
  if (isAsked === before.requiresSecondFactor) return;
  if (role !== "OWNER") throw forbidden();
  if (!isAsked || userId === null) return;
  if (!hasSecondFactor(await findFactors(db, userId, null))) {
    throw conflict("set up your own second factor first");
  }
}

/** Creates an additional account on this server. The calling user becomes its owner. */
export async function createAccount(
  context: AccountsContext,
  caller: Caller,
  input: { readonly name: string },
): Promise<Account> {
  requireAccess(caller, "owner");
  const { userId } = caller;
  if (userId === null) throw forbidden();
  const at = context.clock.now();
  const account: Account = {
    id: randomUUIDv7(),
    name: input.name,
    requiresSecondFactor: false,
    createdAt: at,
    updatedAt: null,
  };
  await inTransaction(context.db, async (db) => {
    await insertAccount(db, account);
    await insertMember(db, account.id, { userId, role: "OWNER", at });
    const changes = { name: account.name };
    const actor = { ...caller, accountId: account.id };
    const action = "account.created";
    await writeAuditEntry(db, actor, { action, targetId: account.id, changes, at });
  });
  context.credentials.forgetAll();
  return account;
}

export const AccountBody = Type.Object(
  { name: Described(Name, "Its name.", "Acme") },
  { title: "AccountInput" },
);
export const AccountChange = Type.Object(
  {
    name: Described(Type.Optional(Name), "Its name.", "Acme"),
    requiresSecondFactor: Type.Optional(
      Type.Boolean({
        description:
          "Whether members must have a second factor to sign in. Only an owner can change it; an " +
          "owner who enables it must have a second factor.",
        examples: [true],
      }),
    ),
  },
  { title: "AccountChange" },
);

export const AccountSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Acme"] }),
    requiresSecondFactor: Type.Boolean({
      description:
        "Whether members must have a second factor to sign in. A member without one can only set " +
        "one up. API keys are not affected.",
      examples: [false],
    }),
    plan: Type.String({ description: "Always SELF_HOSTED.", examples: ["SELF_HOSTED"] }),
    planDisplayName: Type.String({
      description: "Display name of the plan.",
      examples: ["Self-hosted"],
    }),
    role: Type.Enum([...roles], {
      type: "string",
      description: "Role of the caller in the account.",
      examples: ["READ_WRITE"],
    }),
    created_at: Described(DateTime, "Creation time."),
    updated_at: Described(OrNull(DateTime), "Time of the last change; `null` if never changed."),
  },
  { title: "Account" },
);
export const AccountList = Type.Array(AccountSchema);

export function toWireAccount(account: Account, role: Role) {
  return {
    id: account.id,
    name: account.name,
    requiresSecondFactor: account.requiresSecondFactor,
    // Clients of the hosted service expect these fields, which describe a billing plan.
    plan: "SELF_HOSTED",
    planDisplayName: "Self-hosted",
    role,
    created_at: formatDateTime(account.createdAt),
    updated_at: account.updatedAt && formatDateTime(account.updatedAt),
  };
}

const roleDescriptions: Readonly<Record<Role, string>> = {
  READ_ONLY:
    "Views everything except the audit log. Changes only their own user, keys and sessions.",
  READ_RUN: "Also runs checks, tests channels and acknowledges alerts.",
  READ_WRITE: "Also creates, changes and deletes checks, channels, pages and incidents.",
  ADMIN: "Also manages members, invites, all API keys and the account, and reads the audit log.",
  OWNER: "Also manages the owners of the account.",
};

export const RoleTable = Type.Object(
  {
    roles: Type.Array(
      Type.Object({
        role: Described(OneOf(roles), "The role."),
        description: Type.String({ description: "Summary of the role." }),
      }),
      {
        description:
          "Ordered from least to most powerful. Each role includes the permissions of those " +
          "before it.",
      },
    ),
    operations: Type.Array(
      Type.Object(
        {
          operationId: Type.String({
            description: "The operation's id in this document.",
            examples: ["createApiKey"],
          }),
          summary: Type.String({ description: "What it does.", examples: ["Rename an API key"] }),
          tag: Type.String({ description: "Tag of the operation.", examples: ["API keys"] }),
          method: Type.String({ description: "The HTTP method.", examples: ["POST"] }),
          path: Type.String({ description: "The address.", examples: ["/v1/api-keys"] }),
          leastRole: Described(OneOf(roles), "Lowest role of a user that may call it."),
          leastKeyRole: Described(OneOf(roles), "Lowest role of an API key that may call it."),
        },
        { title: "RoleOperation" },
      ),
      { description: "Every operation that needs authentication, in the order of the reference." },
    ),
  },
  { title: "RoleTable" },
);

export function toWireRoleTable(operations: readonly OperationRoles[]) {
  return {
    roles: roles.map((role) => ({ role, description: roleDescriptions[role] })),
    operations: operations.map(({ access: _access, ...shown }) => shown),
  };
}
