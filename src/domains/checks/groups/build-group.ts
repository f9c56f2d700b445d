import type { Encryption } from "../../../platform/encryption.ts";
import { invalid } from "../../../platform/errors.ts";
import { assertSchema } from "../../../platform/http/validation.ts";
import { storeVariables } from "../../variables/index.ts";
import { type CheckGroup, type GroupSettings, mergeGroupSettings } from "../check-group.ts";
import { createSeal } from "../check-secrets.ts";
import { completeClientGroup } from "../client-bodies.ts";
import { findDefaultFaults, mapDefaultSecrets } from "../group-defaults.ts";
import { GroupBody } from "./schema.ts";

interface Sealer {
  readonly encryption: Encryption;
}

/** Validates the settings and encrypts their secrets for storage. */
export function sealSound({ encryption }: Sealer, settings: GroupSettings): GroupSettings {
  const [fault] = findDefaultFaults(settings);
  if (fault !== undefined) throw invalid(fault.key, fault.rule);
  return mapDefaultSecrets(settings, createSeal(encryption));
}

/** Returns a group that is not saved, from the body of a client. */
export function buildGroup(context: Sealer, body: object): CheckGroup {
  const input = { ...completeClientGroup({ ...body }), alertChannelSubscriptions: [] };
  assertSchema(GroupBody, input);
  const { name, environmentVariables, ...rest } = input as Parameters<typeof mergeGroupSettings>[1];
  return {
    id: 0,
    name: name ?? "",
    settings: sealSound(context, mergeGroupSettings(null, rest)),
    variables: storeVariables([], environmentVariables, context.encryption),
    createdAt: new Date(0),
    updatedAt: null,
  };
}
