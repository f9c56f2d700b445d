import type { TSchema } from "typebox";
import type { Trouble } from "../contract/result.ts";

export type ChangeText = (text: string) => string;

/** Finds the user-written and the received texts of a kind. */
export interface KindTexts<Request = unknown, Measurement = unknown> {
  /**
   * Returns the request with `change` applied to each text that may contain `{{NAME}}` variables.
   */
  mapRequest(request: Request, change: ChangeText): Request;
  /**
   * Returns the measurement with `change` applied to each text that came from the target or the
   * system, and to each that repeats part of the request, because these may contain a secret. A
   * changed text is never longer than the original. Constants of this code (`"received"`) stay
   * unchanged.
   */
  mapMeasurement(measurement: Measurement, change: ChangeText): Measurement;
  /** The same for the reason why nothing was measured. By default all of its texts are changed. */
  mapTrouble?(trouble: Trouble, change: ChangeText): Trouble;
}

/** For kinds whose requests contain no variables. */
export const noTexts = {
  mapRequest: <Request>(request: Request) => request,
  mapMeasurement: <Measurement>(measurement: Measurement) => measurement,
};

/** Replaces a secret in every response. In a request it means "unchanged". */
export const secretMask = "********";

/**
 * Secrets in the settings of a check: encrypted in the database, masked in every response and
 * decrypted for the probe only. An empty string is not a secret.
 */
export interface KindSecrets<Settings, Request> {
  /** Returns the settings with `change` applied to each secret. */
  mapSettings(settings: Settings, change: ChangeText): Settings;
  /** Returns the request with `change` applied to each secret. Orders contain encrypted secrets. */
  mapRequest(request: Request, change: ChangeText): Request;
}

/** Settings of a group that apply to its checks of one kind. */
export interface KindGroupDefaults<Settings, Defaults> {
  /** Name of the group field. */
  readonly field: string;
  readonly input: TSchema;
  readonly shown: TSchema;
  /** Merges after a creation (`before` is null) or an update; secrets are decrypted. */
  merge(before: Defaults | null, change: unknown): Defaults;
  findFaults(defaults: Defaults): readonly { readonly key: string; readonly rule: string }[];
  mapSecrets(defaults: Defaults, change: ChangeText): Defaults;
  /** Returns the shown defaults, whose secrets are masked, with the password of the stored ones. */
  withPassword(shown: Defaults, stored: Defaults, open: ChangeText): Defaults;
  /**
   * Returns the settings that a member of the group runs with. `scripts` is absent if the group
   * has none.
   */
  apply(settings: Settings, defaults: Defaults, scripts?: GroupScripts): Settings;
}

/** Scripts of a group, which run around the requests of its members. */
export interface GroupScripts {
  readonly setupSnippetId?: number | null;
  readonly tearDownSnippetId?: number | null;
  readonly localSetupScript?: string | null;
  readonly localTearDownScript?: string | null;
  /** Set by the kind that applies them. */
  readonly baseUrl?: string;
}
