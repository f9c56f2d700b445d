import { queryOptions } from "@tanstack/react-query";
import { api, type Schemas, send } from "../../api/client.ts";

export type Factors = Schemas["SecondFactors"];
export type Passkey = Schemas["Passkey"];
export type OpenSession = Schemas["Session"];

/** Confirms the user's identity with one of the two. */
export interface Proof {
  readonly password?: string;
  readonly code?: string;
}

export const factorsQuery = queryOptions({
  queryKey: ["security", "factors"],
  queryFn: () => send(api.GET("/v1/users/me/second-factors")),
});

export const passkeysQuery = queryOptions({
  queryKey: ["security", "passkeys"],
  queryFn: () => send(api.GET("/v1/users/me/passkeys")),
});

export const sessionsQuery = queryOptions({
  queryKey: ["security", "sessions"],
  queryFn: () => send(api.GET("/v1/sessions")),
});
