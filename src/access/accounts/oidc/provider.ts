/** Communicates with an OpenID provider. Uses the library `openid-client`. */
import type { Configuration, CustomFetch } from "openid-client";
import type { Clock } from "../../../platform/clock.ts";
import { fetchGuarded } from "../../../platform/outbound-fetch.ts";
import {
  type Claims,
  combineClaims,
  decideSource,
  isAcceptedAlgorithm,
  OidcRejection,
  type OidcSettings,
} from "./oidc.ts";

const maxResponseBytes = 512 * 1024;
const timeoutSeconds = 10;
const rediscoverAfterMs = 3_600_000;

/** Private addresses are allowed, because the operator of this server configured the issuer URL. */
const fetchFromProvider: CustomFetch = (url, { method, headers, body, signal }) =>
  fetchGuarded({ allowPrivate: true, maxResponseBytes, onBreak: () => {} }, url, {
    method,
    headers,
    body: body === undefined || body === null ? null : String(body),
    signal: signal ?? AbortSignal.timeout(timeoutSeconds * 1_000),
  });

interface PendingSignIn {
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
    // The library is loaded on first use, because loading it would delay the start of the server.
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.settings;
    const isPlain = issuer.startsWith("http:");
    const authentication = clientSecret === null ? client.None() : undefined;
    const metadata = clientSecret === null ? {} : { client_secret: clientSecret };
    return client.discovery(new URL(issuer), clientId, metadata, authentication, {
      [client.customFetch]: fetchFromProvider,
      timeout: timeoutSeconds,
      // Without `enableNonRepudiationChecks`, the library would trust the TLS connection to the
      // token endpoint and not verify the signature of the ID token.
      execute: [
        ...(isPlain ? [client.allowInsecureRequests] : []),
        client.enableNonRepudiationChecks,
      ],
    });
  }

  /** Loads the provider's configuration and caches it for an hour. A failure is not cached. */
  async #getConfiguration(): Promise<Configuration> {
    const nowMs = this.#clock.nowMs();
    if (this.#found === null || nowMs - this.#found.atMs > rediscoverAfterMs) {
      this.#found = { configuration: this.#discover(), atMs: nowMs };
    }
    try {
      return await this.#found.configuration;
    } catch (error) {
      this.#found = null;
      throw new OidcRejection("unreachable", error);
    }
  }

  async begin(redirectUri: string): Promise<PendingSignIn> {
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

  /**
   * Exchanges the authorisation code for the person's claims, from the ID token or the userinfo
   * endpoint.
   */
  async finish(currentUrl: URL, pending: Omit<PendingSignIn, "url">): Promise<Claims> {
    const configuration = await this.#getConfiguration();
    const client = await import("openid-client");
    try {
      const tokens = await client.authorizationCodeGrant(configuration, currentUrl, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || !isAcceptedAlgorithm(tokens.id_token ?? "")) {
        throw new OidcRejection("untrusted");
      }
      const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
      if (endpoint === undefined || decideSource(claims) === "id-token") return claims;
      const { sub } = claims;
      const userinfo = await client.fetchUserInfo(configuration, tokens.access_token, sub);
      return combineClaims(claims, userinfo);
    } catch (error) {
      if (error instanceof OidcRejection) throw error;
      if (error instanceof client.AuthorizationResponseError) {
        throw new OidcRejection("denied", error);
      }
      // Errors of the library mean that a response was invalid. All other errors are network
      // failures.
      const isOurs =
        error instanceof client.ClientError || error instanceof client.ResponseBodyError;
      throw new OidcRejection(isOurs ? "untrusted" : "unreachable", error);
    }
  }
}
