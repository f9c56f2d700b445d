import { randomUUIDv7 } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { type Database, inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, KnownError, notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { AccountsContext } from "../context.ts";
import { insertSpentChallenge } from "../credential-store.ts";
import { type IssuedChallenge, spendChallenge } from "../credentials.ts";
import { deleteOrphanedRecoveryCodes } from "../second-factors/actions.ts";
import { getSignedInSelf, type Proof, proveSelfUnlessFresh } from "../second-factors/proof.ts";
import {
  createRecoveryCodes,
  hashRecoveryCode,
  type Passkey,
  type PasskeyWithKey,
} from "../second-factors/second-factor.ts";
import {
  deletePasskey,
  findFactors,
  insertPasskey,
  listPasskeys,
  lockPasskey,
  maxPasskeysPerUser,
  replaceRecoveryCodes,
  saveUse,
  updatePasskeyName,
} from "../second-factors/store.ts";
import { type OpenedSession, openSession } from "../sessions/actions.ts";
import type { SessionOrigin } from "../sessions/session.ts";
import { getSelf } from "../users/actions.ts";
import { lockUser, raiseCredentialVersion } from "../users/store.ts";
import { findRelyingParty } from "./relying-party.ts";

/**
 * COSE identifiers of EdDSA, ES256 and RS256. Every authenticator supports at least one of them.
 */
const algorithms = [-8, -7, -257];

export async function listOwnPasskeys(
  context: AccountsContext,
  caller: Caller,
): Promise<Passkey[]> {
  const user = await getSelf(context, caller);
  return listPasskeys(context.db, user.id);
}

export async function renamePasskey(
  context: AccountsContext,
  caller: Caller,
  change: { readonly id: string; readonly name: string },
): Promise<Passkey> {
  const user = await getSignedInSelf(context, caller);
  return inTransaction(context.db, async (db) => {
    const passkey = await updatePasskeyName(db, user.id, change);
    if (passkey === null) throw notFound();
    const at = context.clock.now();
    const changes = { name: change.name };
    await writeAuditEntry(db, caller, {
      action: "passkey.updated",
      targetId: change.id,
      changes,
      at,
    });
    return passkey;
  });
}

export async function removePasskey(
  context: AccountsContext,
  caller: Caller,
  { id, proof }: { readonly id: string; readonly proof: Proof },
): Promise<void> {
  const user = await proveSelfUnlessFresh(context, caller, proof);
  await inTransaction(context.db, async (db) => {
    await lockUser(db, user.id);
    const passkey = await deletePasskey(db, user.id, id);
    if (passkey === null) throw notFound();
    await deleteOrphanedRecoveryCodes(db, user.id);
    await raiseCredentialVersion(db, user.id);
    const at = context.clock.now();
    const changes = { name: passkey.name };
    await writeAuditEntry(db, caller, { action: "passkey.removed", targetId: id, changes, at });
  });
  context.credentials.forgetAll();
}

const expired = () => invalid("optionsToken", "has expired or was already used; start again");

function getRelyingParty(context: AccountsContext, host: string) {
  const party = findRelyingParty(context.configuredUrl, host);
  if (party.kind === "unusable") throw conflict(party.reason);
  return party;
}

interface RegistrationOptions extends IssuedChallenge {
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}

export async function beginRegistration(
  context: AccountsContext,
  caller: Caller,
  { host, proof }: { readonly host: string; readonly proof: Proof },
): Promise<RegistrationOptions> {
  const party = getRelyingParty(context, host);
  const user = await proveSelfUnlessFresh(context, caller, proof);
  const known = await listPasskeys(context.db, user.id);
  rejectTooMany(known);
  const { generateRegistrationOptions } = await loadWebauthn();
  const options = await generateRegistrationOptions({
    rpName: "Vedette",
    rpID: party.id,
    userName: user.email,
    userID: new TextEncoder().encode(user.id),
    userDisplayName: user.name ?? user.email,
    timeout: 120_000,
    excludeCredentials: known
      .filter((passkey) => passkey.host === party.id)
      .map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
  });
  const content = { userId: user.id, challenge: options.challenge };
  return { ...context.challenges.issue("passkey-registration", content), options };
}

function rejectTooMany(known: readonly Passkey[]): void {
  if (known.length < maxPasskeysPerUser) return;
  throw conflict(`you have the maximum of ${maxPasskeysPerUser} passkeys; delete one first`);
}

interface RegistrationAnswer {
  readonly optionsToken: string;
  readonly name: string;
  readonly response: RegistrationResponseJSON;
  readonly host: string;
}

interface Registered {
  readonly passkey: Passkey;
  /**
   * New recovery codes if the user had none left, otherwise `null`. Only this response contains
   * them.
   */
  readonly recoveryCodes: readonly string[] | null;
}

export async function finishRegistration(
  context: AccountsContext,
  caller: Caller,
  answer: RegistrationAnswer,
): Promise<Registered> {
  const user = await getSignedInSelf(context, caller);
  const challenge = context.challenges.open("passkey-registration", answer.optionsToken);
  if (challenge === null) throw expired();
  if (challenge.content.userId !== user.id) throw notFound();
  const verified = await verifyNew(context, answer, challenge.content.challenge);
  const at = context.clock.now();
  const passkey: PasskeyWithKey = {
    ...verified,
    id: randomUUIDv7(),
    userId: user.id,
    name: answer.name,
    createdAt: at,
    lastUsedAt: null,
  };
  const recoveryCodes = await inTransaction(context.db, async (db) => {
    await lockUser(db, user.id);
    if (!(await insertSpentChallenge(db, challenge))) throw expired();
    rejectTooMany(await listPasskeys(db, user.id));
    if (!(await insertPasskey(db, passkey))) throw conflict("this passkey is already registered");
    const changes = { name: passkey.name };
    await writeAuditEntry(db, caller, {
      action: "passkey.created",
      targetId: passkey.id,
      changes,
      at,
    });
    const { recoveryCodesLeft } = await findFactors(db, user.id, null);
    if (recoveryCodesLeft > 0) return null;
    const codes = createRecoveryCodes();
    await replaceRecoveryCodes(db, user.id, { hashes: codes.map(hashRecoveryCode), at });
    return codes;
  });
  context.credentials.forgetAll();
  return { passkey, recoveryCodes };
}

async function verifyNew(
  context: AccountsContext,
  { response, host }: RegistrationAnswer,
  expectedChallenge: string,
) {
  const party = getRelyingParty(context, host);
  const { verifyRegistrationResponse } = await loadWebauthn();
  // Every error here is caused by the browser's response, so it is reported as a client error.
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => null);
  if (verified?.registrationInfo === undefined) {
    throw invalid("response", "does not match this registration or this host");
  }
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    host: party.id,
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    transports: (credential.transports ?? []).slice(0, 10),
    isSynced: credentialBackedUp,
  };
}

/**
 * The library is loaded when a passkey is first used, because loading it would delay the start of
 * the server.
 */
let loaded: Promise<typeof import("@simplewebauthn/server")> | undefined;

function loadWebauthn(): Promise<typeof import("@simplewebauthn/server")> {
  loaded ??= import("@simplewebauthn/server");
  return loaded;
}

interface SignInOptions extends IssuedChallenge {
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/**
 * Starts a sign-in with a passkey. The authenticator must verify its user if the passkey is the
 * only factor, but not if it is the second factor.
 */
export async function beginPasskeySignIn(
  context: AccountsContext,
  { host, challengeToken }: { readonly host: string; readonly challengeToken: string | undefined },
): Promise<SignInOptions> {
  const party = getRelyingParty(context, host);
  const userId = findChallengedUser(context, challengeToken);
  const passkeys = userId === null ? [] : await listPasskeys(context.db, userId);
  const { generateAuthenticationOptions } = await loadWebauthn();
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    timeout: 120_000,
    allowCredentials: passkeys
      .filter((passkey) => passkey.host === party.id)
      .map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] })),
    userVerification: userId === null ? "required" : "discouraged",
  });
  const content = { userId, challenge: options.challenge };
  return { ...context.challenges.issue("passkey-sign-in", content), options };
}

function findChallengedUser(
  context: AccountsContext,
  challengeToken: string | undefined,
): string | null {
  if (challengeToken === undefined) return null;
  return context.challenges.get("second-factor", challengeToken).content.userId;
}

interface PasskeyAnswer {
  readonly optionsToken: string;
  /** Challenge token of the first factor. If absent, the passkey is the only factor. */
  readonly challengeToken?: string | undefined;
  readonly response: AuthenticationResponseJSON;
  readonly host: string;
}

export function signInByPasskey(
  context: AccountsContext,
  answer: PasskeyAnswer,
  origin: SessionOrigin,
): Promise<OpenedSession> {
  const { challenges } = context;
  const issued = challenges.get("passkey-sign-in", answer.optionsToken);
  const first =
    answer.challengeToken === undefined
      ? null
      : challenges.get("second-factor", answer.challengeToken);
  if ((first?.content.userId ?? null) !== issued.content.userId) {
    throw new KnownError("badChallenge");
  }
  return inTransaction(context.db, async (db) => {
    await spendChallenge(db, issued);
    if (first !== null) await spendChallenge(db, first);
    const userId = await verifyPasskey(context, db, { answer, issued: issued.content });
    const user = userId === null ? null : await lockUser(db, userId);
    if (user === null) throw new KnownError("badPasskey");
    if (first !== null && first.content.credentialVersion !== user.credentialVersion) {
      throw new KnownError("badChallenge");
    }
    const way = first?.content.way ?? ("PASSKEY" as const);
    return openSession({ ...context, db }, user, { ...origin, way, secondFactor: "PASSKEY" });
  });
}

/**
 * Returns the id of the passkey's owner, or `null` if the passkey is unknown, belongs to another
 * user or host, or has an invalid signature or counter.
 */
async function verifyPasskey(
  context: AccountsContext,
  db: Database,
  {
    answer,
    issued,
  }: {
    readonly answer: PasskeyAnswer;
    readonly issued: { readonly userId: string | null; readonly challenge: string };
  },
): Promise<string | null> {
  const party = getRelyingParty(context, answer.host);
  const passkey = await lockPasskey(db, answer.response.id);
  if (passkey === null || passkey.host !== party.id) return null;
  if (issued.userId !== null && passkey.userId !== issued.userId) return null;
  const { verifyAuthenticationResponse } = await loadWebauthn();
  const verified = await verifyAuthenticationResponse({
    response: answer.response,
    expectedChallenge: issued.challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: issued.userId === null,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: passkey.counter,
    },
  }).catch(() => null);
  if (verified === null || !verified.verified) return null;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  const at = context.clock.now();
  await saveUse(db, passkey.id, { counter: newCounter, isSynced: credentialBackedUp, at });
  return passkey.userId;
}
