import { randomUUIDv7 } from "node:crypto";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import { inTransaction } from "../../../platform/database.ts";
import { conflict, invalid, notFound } from "../../../platform/errors.ts";
import { writeAuditEntry } from "../audit/store.ts";
import type { Caller } from "../caller.ts";
import type { IssuedChallenge } from "../challenges/challenge.ts";
import { insertSpentChallenge } from "../challenges/store.ts";
import type { AccountsContext } from "../context.ts";
import { getSignedInSelf, type Proof, proveSelfUnlessFresh } from "../second-factors/proof.ts";
import { createRecoveryCodes, hashRecoveryCode } from "../second-factors/recovery-code.ts";
import { findFactors, replaceRecoveryCodes } from "../second-factors/store.ts";
import { lockUser } from "../users/store.ts";
import { maxPasskeysPerUser, type Passkey, type PasskeyWithKey } from "./passkey.ts";
import { findRelyingParty } from "./relying-party.ts";
import { insertPasskey, listPasskeys } from "./store.ts";
import { loadWebauthn } from "./webauthn.ts";

/** COSE numbers of EdDSA, ES256 and RS256: every authenticator supports one of them. */
const algorithms = [-8, -7, -257];

const expired = () => invalid("optionsToken", "has expired or was already used; start again");

export function getRelyingParty(context: AccountsContext, host: string) {
  const party = findRelyingParty(context.configuredUrl, host);
  if (party.kind === "unusable") throw conflict(party.reason);
  return party;
}

export interface RegistrationOptions extends IssuedChallenge {
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

export interface RegistrationAnswer {
  readonly optionsToken: string;
  readonly name: string;
  readonly response: RegistrationResponseJSON;
  readonly host: string;
}

export interface Registered {
  readonly passkey: Passkey;
  /** Set with the user's first second factor, and returned only in this response. */
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
  // Every error thrown here is caused by the browser's response, so it is a client error.
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
