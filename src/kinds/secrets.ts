import type { TSchema } from "typebox";
import type { ChangeText } from "./texts.ts";

/** Stands for a secret in every answer. Sent back, it means: as it was. */
export const secretMask = "********";

/**
 * Secrets that people enter in the settings of a check: sealed in the database, masked in every
 * answer, opened for the probe only. An empty text is no secret.
 */
export interface KindSecrets<Settings, Request> {
  /** The same settings, with each secret changed. */
  mapSettings(settings: Settings, change: ChangeText): Settings;
  /** The same request, with each secret changed: an order holds them sealed. */
  mapRequest(request: Request, change: ChangeText): Request;
}

/** What a group of checks sets for its members of one kind. */
export interface KindGroupDefaults<Settings, Defaults> {
  /** The name of the field of a group. */
  readonly field: string;
  readonly input: TSchema;
  readonly shown: TSchema;
  /** After a creation (before is null) or an update; secrets are open. */
  merge(before: Defaults | null, change: unknown): Defaults;
  findFaults(defaults: Defaults): readonly { readonly key: string; readonly rule: string }[];
  mapSecrets(defaults: Defaults, change: ChangeText): Defaults;
  /** The settings that a member runs with. */
  apply(settings: Settings, defaults: Defaults): Settings;
}
