/**
 * A hostile OpenID provider on this machine, which responds with the tokens and claims that a test
 * chooses.
 */
import {
  createHmac,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Signature =
  | "right"
  | "none"
  | "empty"
  | "client-secret"
  | "public-key-as-secret"
  | "other-key"
  | "key-in-header";

export interface HostileAnswer {
  /** Claims of the ID token, added to the claims that every ID token needs. */
  readonly token: Readonly<Record<string, unknown>>;
  /** Claims from the userinfo endpoint; `null` to return the claims of the token. */
  readonly userinfo: Readonly<Record<string, unknown>> | null;
  readonly signature: Signature;
}

export interface HostileOidcServer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  answer: HostileAnswer;
  readonly stop: () => Promise<void>;
}

const clientId = "vedette";
const clientSecret = "a-client-secret-of-the-provider";

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function createKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

interface Keys {
  readonly own: KeyObject;
  readonly other: KeyObject;
}

function describeHeader(signature: Signature, { other }: Keys): object {
  if (signature === "none") return { alg: "none" };
  if (signature === "client-secret" || signature === "public-key-as-secret") {
    return { alg: "HS256", kid: "own" };
  }
  if (signature === "key-in-header") {
    return { alg: "RS256", jwk: createPublicKey(other).export({ format: "jwk" }) };
  }
  return { alg: "RS256", kid: "own" };
}

function sign(signature: Signature, keys: Keys, text: string): string {
  if (signature === "none" || signature === "empty") return "";
  if (signature === "client-secret") {
    return createHmac("sha256", clientSecret).update(text).digest("base64url");
  }
  if (signature === "public-key-as-secret") {
    const secret = createPublicKey(keys.own).export({ format: "pem", type: "spki" });
    return createHmac("sha256", secret).update(text).digest("base64url");
  }
  const key = signature === "right" ? keys.own : keys.other;
  return createSign("RSA-SHA256").update(text).sign(key, "base64url");
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => resolve(body));
    request.on("error", reject);
  });
}

/**
 * The provider claims to support every algorithm, so that a client that trusts this claim accepts
 * all of them.
 */
function describeProvider(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    code_challenge_methods_supported: ["S256"],
    id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
  };
}

export async function startHostileOidcServer(): Promise<HostileOidcServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { own: createKey(), other: createKey() };
  const nonces = new Map<string, string>();
  const state: HostileOidcServer = {
    issuer,
    clientId,
    clientSecret,
    answer: { token: { sub: "nobody" }, userinfo: null, signature: "right" },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const writeToken = (code: string) => {
    const { token, signature } = state.answer;
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const basis = { iss: issuer, aud: clientId, iat: nowSeconds, exp: nowSeconds + 60 };
    const claims = { ...basis, nonce: nonces.get(code), ...token };
    const text = `${encode(describeHeader(signature, keys))}.${encode(claims)}`;
    return `${text}.${sign(signature, keys, text)}`;
  };
  const answers: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
    "/.well-known/openid-configuration": () => describeProvider(issuer),
    "/jwks": () => {
      const key = createPublicKey(keys.own).export({ format: "jwk" });
      return { keys: [{ ...key, kid: "own", use: "sig", alg: "RS256" }] };
    },
    "/token": async (request) => {
      const code = new URLSearchParams(await readBody(request)).get("code") ?? "";
      return { access_token: "access", token_type: "Bearer", id_token: writeToken(code) };
    },
    "/userinfo": () => state.answer.userinfo ?? state.answer.token,
  };
  server.on("request", async (request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    if (url.pathname === "/authorize") {
      const code = `code-${nonces.size}`;
      nonces.set(code, url.searchParams.get("nonce") ?? "");
      const back = new URL(url.searchParams.get("redirect_uri") ?? issuer);
      back.search = new URLSearchParams({
        code,
        state: url.searchParams.get("state") ?? "",
      }).toString();
      return void response.writeHead(302, { location: back.href }).end();
    }
    const answer = answers[url.pathname];
    if (answer === undefined) return void response.writeHead(404).end();
    const body = JSON.stringify(await answer(request));
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  return state;
}
