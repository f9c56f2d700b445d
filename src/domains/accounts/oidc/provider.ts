/** The conversation with the OpenID provider, by the library of the field. */
import type { Configuration, CustomFetch } from "openid-client";
import type { Clock } from "../../../platform/clock.ts";
import { fetchGuarded } from "../../../platform/outbound-fetch.ts";
import {
  type Claims,
  combineClaims,
  decideSource,
  isAcceptedAlgorithm,
  OidcRefusal,
  type OidcSettings,
} from "./oidc.ts";

const maxResponseBytes = 512 * 1024;
const timeoutSeconds = 10;
const rediscoverAfterMs = 3_600_000;

/** The operator set the issuer, so it may well be on a private address. */
const fetchFromProvider: CustomFetch = (url, { method, headers, body, signal }) =>
  fetchGuarded({ allowPrivate: true, maxResponseBytes, onBreak: () => {} }, url, {
    method,
    headers,
    body: body === undefined || body === null ? null : String(body),
    signal: signal ?? AbortSignal.timeout(timeoutSeconds * 1_000),
  });

export interface Begun {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export class OidcProvider {
  readonly settings: OidcSettings;
  readonly #clock: Clock;
  #found: { readonly configuration: Promise<Configuration>; readonly atMs: number } | null = null;

  constructor(settings: OidcSettings, clock: Clock) {
    this.settings = settings;
    this.#clock = clock;
  }

  async #discover(): Promise<Configuration> {
    // Loaded when somebody signs in this way: a start need not wait for it.
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.settings;
    const isPlain = issuer.startsWith("http:");
    const authentication = clientSecret === null ? client.None() : undefined;
    const metadata = clientSecret === null ? {} : { client_secret: clientSecret };
    return client.discovery(new URL(issuer), clientId, metadata, authentication, {
      [client.customFetch]: fetchFromProvider,
      timeout: timeoutSeconds,
      // Without the latter the library trusts the connection to the token endpoint, and accepts
      // an ID token whoever signed it.
      execute: [
        ...(isPlain ? [client.allowInsecureRequests] : []),
        client.enableNonRepudiationChecks,
      ],
    });
  }

  /** Asked once in a while; what failed is asked again the next time. */
  async #getConfiguration(): Promise<Configuration> {
    const nowMs = this.#clock.nowMs();
    if (this.#found === null || nowMs - this.#found.atMs > rediscoverAfterMs) {
      this.#found = { configuration: this.#discover(), atMs: nowMs };
    }
    try {
      return await this.#found.configuration;
    } catch (error) {
      this.#found = null;
      throw new OidcRefusal("unreachable", error);
    }
  }

  async begin(redirectUri: string): Promise<Begun> {
    const configuration = await this.#getConfiguration();
    const client = await import("openid-client");
    const state = client.randomState();
    const nonce = client.randomNonce();
    const codeVerifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: "openid email profile",
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    return { url: url.href, state, nonce, codeVerifier };
  }

  /** What the provider says of who came back, in its ID token or at its userinfo endpoint. */
  async finish(currentUrl: URL, begun: Omit<Begun, "url">): Promise<Claims> {
    const configuration = await this.#getConfiguration();
    const client = await import("openid-client");
    try {
      const tokens = await client.authorizationCodeGrant(configuration, currentUrl, {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || !isAcceptedAlgorithm(tokens.id_token ?? "")) {
        throw new OidcRefusal("untrusted");
      }
      const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
      if (endpoint === undefined || decideSource(claims) === "id-token") return claims;
      const { sub } = claims;
      const userinfo = await client.fetchUserInfo(configuration, tokens.access_token, sub);
      return combineClaims(claims, userinfo);
    } catch (error) {
      if (error instanceof OidcRefusal) throw error;
      if (error instanceof client.AuthorizationResponseError) {
        throw new OidcRefusal("denied", error);
      }
      // What the library finds wrong has its own errors; all else comes from the way there.
      const isOurs =
        error instanceof client.ClientError || error instanceof client.ResponseBodyError;
      throw new OidcRefusal(isOurs ? "untrusted" : "unreachable", error);
    }
  }
}
