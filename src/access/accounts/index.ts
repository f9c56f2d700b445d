/**
 * Authentication and authorisation. An *account* owns all other data. *Users* are *members* of
 * accounts with a role, and authenticate with a *session* or an *API key*. Every write adds an
 * *audit entry*. For all other modules, this module authenticates the caller of each request.
 * Tables: accounts, users, members, former_members, invites, sessions, sign_in_links,
 * sign_in_networks, api_keys, audit_entries, idempotency_keys, totp_secrets, recovery_codes,
 * passkeys, spent_challenges, oidc_identities, email_changes, device_logins. Views:
 * account_members, departed_members.
 */
export { getAccount, listOwnAccounts } from "./accounts.ts";
export { mayReadAuditLog, readAuditLog } from "./audit/audit-log.ts";
export { listTargetsChangedSince, markAuditEntries } from "./audit/changes-store.ts";
export type { AuditEntry } from "./audit/store.ts";
export {
  type AuditActor,
  listTargetChanges,
  type TargetChange,
  writeAuditEntries,
  writeAuditEntry,
} from "./audit/store.ts";
export {
  addAuthentication,
  findCallerByKey,
  findStanding,
  isMemberOf,
  type Standing,
} from "./authentication.ts";
export { type Bootstrapped, bootstrap } from "./bootstrap.ts";
export type { Caller } from "./caller.ts";
export { type Access, isAllowed, type Role, requireAccess } from "./caller.ts";
export type { AccountsContext } from "./context.ts";
export { createOnce, IdempotencyHeaders } from "./create-once.ts";
export { listRememberedTargets, rememberTargets } from "./credential-store.ts";
export { Challenges, Credentials } from "./credentials.ts";
export { startAccountLoops } from "./loops.ts";
export { listRoster } from "./members/actions.ts";
export { listOwnerIds } from "./members/member-store.ts";
export { OidcProvider } from "./oidc/provider.ts";
export { PasswordGuard, ResetLimits } from "./password-guard.ts";
export { accountPaths, addAccountRoutes } from "./routes.ts";
export { listSealedTotps } from "./second-factors/store.ts";
export { buildSignInUrl, createLinkFromCommandLine } from "./sign-in-links/sign-in-links.ts";
export { hasSeveralAccounts } from "./store.ts";
export { getSelf } from "./users/actions.ts";
export { isPlaceholderEmail } from "./users/user.ts";
