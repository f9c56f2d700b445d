import { randomBytes } from "node:crypto";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { insertSpentChallenge } from "../credential-store.ts";
import type { IssuedChallenge } from "../credentials.ts";
import { findRelyingParty, type RelyingParty } from "../passkeys/relying-party.ts";
import { getSelf } from "../users/actions.ts";
import { lockUser, raiseCredentialVersion } from "../users/store.ts";
import {
  buildOtpauthUrl,
  encodeBase32,
  findStep,
  getSignedInSelf,
  type Proof,
  proveSelf,
  proveSelfUnlessFresh,
} from "./proof.ts";
import {
  createRecoveryCodes,
  type FactorsOfUser,
  hashRecoveryCode,
  hasSecondFactor,
} from "./second-factor.ts";
import {
  deleteRecoveryCodes,
  deleteTotp,
  findFactors,
  insertTotp,
  replaceRecoveryCodes,
} from "./store.ts";

/** Not a 401: the caller is signed in. */
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

/** Starts the setup. Nothing is stored until a code proves that the app has the secret. */
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

/** Enables TOTP. The recovery codes appear only in this response. */
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

/** Deletes the recovery codes of a user whose last second factor was removed. */
export async function deleteOrphanedRecoveryCodes(db: Database, userId: string): Promise<void> {
  if (!hasSecondFactor(await findFactors(db, userId, null))) await deleteRecoveryCodes(db, userId);
}

/** Creates new recovery codes; the old ones stop working. */
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
