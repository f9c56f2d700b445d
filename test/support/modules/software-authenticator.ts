/**
 * A passkey authenticator in software, which creates passkeys and signs with them according to the
 * WebAuthn standard.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

/**
 * Encodes the head of a CBOR item (RFC 8949), for the types in a public key and an attestation of
 * type none.
 */
function encodeHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

function encodeCbor(value: Cbor): Buffer {
  if (typeof value === "number") {
    return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value);
  }
  if (typeof value === "string") {
    return Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([encodeHead(2, value.length), value]);
  const entries = [...value].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return Buffer.concat([encodeHead(5, value.size), ...entries]);
}

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();

function encodePublicKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const part = (text: string) => Buffer.from(text, "base64url");
  const entries: [number, Cbor][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, part(x)],
    [-3, part(y)],
  ];
  return encodeCbor(new Map(entries));
}

const userPresent = 0x01;
const userVerified = 0x04;
const hasKey = 0x40;

interface Creation {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface Request {
  readonly challenge: string;
  readonly rpId: string;
}

export class SoftwareAuthenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #id = randomBytes(32);
  readonly #origin: string;
  #userHandle = "";
  /** Signature counter that the authenticator reports. */
  counter = 0;
  verifiesUser = true;

  constructor(origin: string) {
    this.#origin = origin;
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin }));
  }

  #authenticatorData(rpId: string, more: number): Buffer {
    const flags = userPresent | (this.verifiesUser ? userVerified : 0) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  #answer(response: Readonly<Record<string, unknown>>) {
    const id = this.#id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }

  create({ challenge, rp, user }: Creation) {
    this.#userHandle = user.id;
    const length = Buffer.from([0, this.#id.length]);
    const authData = Buffer.concat([
      this.#authenticatorData(rp.id, hasKey),
      Buffer.alloc(16),
      length,
      this.#id,
      encodePublicKey(this.#keys.publicKey),
    ]);
    const attestation = new Map<string, Cbor>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", authData],
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData("webauthn.create", challenge).toString("base64url"),
      attestationObject: encodeCbor(attestation).toString("base64url"),
      transports: ["internal"],
    });
  }

  get({ challenge, rpId }: Request) {
    this.counter += 1;
    const clientData = this.#clientData("webauthn.get", challenge);
    const data = this.#authenticatorData(rpId, 0);
    const signed = Buffer.concat([data, sha256(clientData)]);
    return this.#answer({
      clientDataJSON: clientData.toString("base64url"),
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
      userHandle: this.#userHandle,
    });
  }
}
