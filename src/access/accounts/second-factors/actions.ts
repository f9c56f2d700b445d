import { randomBytes } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, KnownError, notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { insertSpentChallenge } from "../credential-store.ts";
import { type IssuedChallenge, spendChallenge } from "../credentials.ts";
import { findRelyingParty, type RelyingParty } from "../passkeys/relying-party.ts";
import { type OpenedSession, openSession } from "../sessions/actions.ts";
import type { SessionOrigin, SignInWay } from "../sessions/session.ts";
import { getSelf } from "../users/actions.ts";
import { lockUser, raiseCredentialVersion } from "../users/store.ts";
import type { UserWithPassword } from "../users/user.ts";
import {
  buildOtpauthUrl,
  encodeBase32,
  findStep,
  getSignedInSelf,
  type Proof,
  proveSelf,
  proveSelfUnlessFresh,
  useRecoveryCode,
  useTotpCode,
} from "./proof.ts";
import {
  createRecoveryCodes,
  decideFactorsToOffer,
  type FactorsOfUser,
  hashRecoveryCode,
  hasSecondFactor,
  type SecondFactor,
} from "./second-factor.ts";
import {
  deleteRecoveryCodes,
  deleteTotp,
  findFactors,
  insertTotp,
  replaceRecoveryCodes,
} from "./store.ts";

export interface SecondFactorChallenge extends IssuedChallenge {
  readonly methods: readonly SecondFactor[];
}

/** Issues a challenge after the first factor. Returns `null` if the user has no second factor. */
export async function challengeUser(
  context: AccountsContext,
  proven: {
    /** User as read from the database when the first factor was verified. */
    readonly user: Pick<UserWithPassword, "id" | "credentialVersion">;
    readonly way: SignInWay;
    readonly host: string;
  },
): Promise<SecondFactorChallenge | null> {
  const { user, way, host } = proven;
  const party = findRelyingParty(context.configuredUrl, host);
  const usableHost = party.kind === "usable" ? party.id : null;
  const methods = decideFactorsToOffer(await findFactors(context.db, user.id, usableHost));
  if (methods === null) return null;
  const { id: userId, credentialVersion } = user;
  const challenge = context.challenges.issue("second-factor", { userId, way, credentialVersion });
  return { ...challenge, methods };
}

interface CodeAnswer {
  readonly challengeToken: string;
  readonly method: Exclude<SecondFactor, "PASSKEY">;
  readonly code: string;
}

/**
 * Verifies a code as the second step of a sign-in. The code is consumed only if a session opens.
 */
export function signInByCode(
  context: AccountsContext,
  answer: CodeAnswer,
  origin: SessionOrigin,
): Promise<OpenedSession> {
  const challenge = context.challenges.get("second-factor", answer.challengeToken);
  const { userId, way, credentialVersion } = challenge.content;
  const guess = { userId, code: answer.code };
  return inTransaction(context.db, async (db) => {
    const user = await lockUser(db, userId);
    if (user?.credentialVersion !== credentialVersion) throw new KnownError("badChallenge");
    const verify = () =>
      answer.method === "TOTP" ? useTotpCode(context, db, guess) : useRecoveryCode(db, guess);
    const attempt = { email: user.email, address: origin.address };
    if (!(await context.codeGuard.check(db, attempt, verify))) throw new KnownError("badCode");
    await spendChallenge(db, challenge);
    const how = { ...origin, way, secondFactor: answer.method };
    return openSession({ ...context, db }, user, how);
  });
}

/** Responds with status 400 instead of 401, because the caller is already signed in. */
const expired = () => invalid("setUpToken", "has expired or was already used; start again");
const alreadySetUp = () => conflict("an authenticator app is already set up; remove it first");

export interface OwnFactors extends FactorsOfUser {
  readonly hasPassword: boolean;
  readonly relyingParty: RelyingParty;
}

export async function getOwnFactors(
  context: AccountsContext,
  caller: Caller,
  host: string,
): Promise<OwnFactors> {
  const user = await getSelf(context, caller);
  const relyingParty = findRelyingParty(context.configuredUrl, host);
  const usableHost = relyingParty.kind === "usable" ? relyingParty.id : null;
  const factors = await findFactors(context.db, user.id, usableHost);
  return { ...factors, hasPassword: user.passwordHash !== null, relyingParty };
}

export interface TotpSetUp extends IssuedChallenge {
  readonly secret: string;
  readonly otpauthUrl: string;
}

/** Starts the setup of an authenticator app. Nothing is stored until a valid code is entered. */
export async function beginTotp(
  context: AccountsContext,
  caller: Caller,
  proof: Proof,
): Promise<TotpSetUp> {
  const user = await proveSelfUnlessFresh(context, caller, proof);
  const { totpSince } = await findFactors(context.db, user.id, null);
  if (totpSince !== null) throw alreadySetUp();
  const bytes = randomBytes(20);
  const content = { userId: user.id, secret: bytes.toString("base64") };
  const host = new URL(context.publicUrl()).hostname;
  return {
    ...context.challenges.issue("totp-set-up", content),
    secret: encodeBase32(bytes),
    otpauthUrl: buildOtpauthUrl(bytes, { email: user.email, host }),
  };
}

/** Finishes the setup of an authenticator app. Only this response contains the recovery codes. */
export async function confirmTotp(
  context: AccountsContext,
  caller: Caller,
  answer: { readonly setUpToken: string; readonly code: string },
): Promise<readonly string[]> {
  const user = await getSignedInSelf(context, caller);
  const challenge = context.challenges.open("totp-set-up", answer.setUpToken);
  if (challenge === null) throw expired();
  if (challenge.content.userId !== user.id) throw notFound();
  const secret = Buffer.from(challenge.content.secret, "base64");
  const step = findStep(secret, answer.code.replaceAll(" ", ""), context.clock.nowMs());
  if (step === null) throw invalid("code", "is not a valid code for this secret");
  const at = context.clock.now();
  const sealedSecret = context.encryption.encrypt(challenge.content.secret);
  const codes = createRecoveryCodes();
  await inTransaction(context.db, async (db) => {
    await lockUser(db, user.id);
    if (!(await insertSpentChallenge(db, challenge))) throw expired();
    if (!(await insertTotp(db, user.id, { sealedSecret, lastStep: step, at }))) {
      throw alreadySetUp();
    }
    await replaceRecoveryCodes(db, user.id, { hashes: codes.map(hashRecoveryCode), at });
    await raiseCredentialVersion(db, user.id);
    await writeAuditEntry(db, caller, { action: "totp.created", targetId: user.id, at });
  });
  context.credentials.forgetAll();
  return codes;
}

export async function removeTotp(
  context: AccountsContext,
  caller: Caller,
  proof: Proof,
): Promise<void> {
  const user = await proveSelf(context, caller, proof);
  const at = context.clock.now();
  await inTransaction(context.db, async (db) => {
    await lockUser(db, user.id);
    if (!(await deleteTotp(db, user.id))) throw notFound();
    await deleteOrphanedRecoveryCodes(db, user.id);
    await raiseCredentialVersion(db, user.id);
    await writeAuditEntry(db, caller, { action: "totp.removed", targetId: user.id, at });
  });
  context.credentials.forgetAll();
}

/** Deletes the recovery codes of a user who no longer has any other second factor. */
export async function deleteOrphanedRecoveryCodes(db: Database, userId: string): Promise<void> {
  if (!hasSecondFactor(await findFactors(db, userId, null))) await deleteRecoveryCodes(db, userId);
}

/** Creates new recovery codes. The previous codes stop working. */
export async function renewRecoveryCodes(
  context: AccountsContext,
  caller: Caller,
  proof: Proof,
): Promise<readonly string[]> {
  const user = await proveSelf(context, caller, proof);
  const at = context.clock.now();
  const codes = createRecoveryCodes();
  await inTransaction(context.db, async (db) => {
    await lockUser(db, user.id);
    if (!hasSecondFactor(await findFactors(db, user.id, null))) {
      throw conflict("recovery codes replace a second factor; set up a second factor first");
    }
    await replaceRecoveryCodes(db, user.id, { hashes: codes.map(hashRecoveryCode), at });
    await raiseCredentialVersion(db, user.id);
    const action = "recovery-codes.renewed";
    await writeAuditEntry(db, caller, { action, targetId: user.id, at });
  });
  return codes;
}
