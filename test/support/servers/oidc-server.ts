/**
 * A real OpenID provider on this machine. The user in `present` is signed in without interaction.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type KoaContext, Provider } from "oidc-provider";

export interface PersonAtProvider {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
  readonly amr?: readonly string[];
}

export interface OidcServer {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** User who is signed in at the provider. */
  present: PersonAtProvider;
  readonly stop: () => Promise<void>;
}

const clientId = "vedette";
const scope = "openid email profile";

function createSigningKey(): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" };
}

/** Grants the requested scopes without asking the user for consent. */
async function grantAll({ oidc }: KoaContext) {
  const { clientId: client } = oidc.client;
  const owner = { clientId: client, accountId: oidc.session.accountId };
  const grant = new oidc.provider.Grant(owner);
  grant.addOIDCScope(scope);
  await grant.save();
  return grant;
}

function describeProvider(clientSecret: string, redirectUris: readonly string[]) {
  return {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    jwks: { keys: [createSigningKey()] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    claims: {
      openid: ["sub", "amr"],
      email: ["email", "email_verified"],
      profile: ["name", "groups"],
    },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/sign-in/${uid}` },
    ttl: { Session: 60, Interaction: 60, Grant: 60, AccessToken: 60, IdToken: 60 },
    loadExistingGrant: grantAll,
  };
}

/** Starts the provider. `redirectUri` is the callback address of the product. */
export async function startOidcServer(
  redirectUri: string,
  present: PersonAtProvider,
): Promise<OidcServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = randomBytes(32).toString("hex");
  const people = new Map<string, PersonAtProvider>();
  const provider = new Provider(issuer, {
    ...describeProvider(clientSecret, [redirectUri]),
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => people.get(id),
    }),
  });
  const answer = provider.callback();
  const state: OidcServer = {
    issuer,
    clientId,
    clientSecret,
    present,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/sign-in/")) return void answer(request, response);
    const { sub, amr } = state.present;
    people.set(sub, state.present);
    const login = { accountId: sub, remember: false, ...(amr && { amr }) };
    provider.interactionFinished(request, response, { login }).catch(() => response.destroy());
  });
  return state;
}
