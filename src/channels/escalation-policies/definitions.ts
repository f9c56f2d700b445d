import { assertSchema } from "../../platform/http/validation.ts";
import { assertSound, changePolicy, createPolicy, removePolicy } from "./actions.ts";
import type { PolicyInput } from "./escalation-policy.ts";
import { mapPolicies } from "./lookup-store.ts";
import { fromWirePolicy, PolicyBody, toWireBody } from "./schema.ts";
import { listPolicyNames } from "./store.ts";

function parse(fields: Readonly<Record<string, unknown>>): PolicyInput {
  const body = structuredClone(fields) as Parameters<typeof fromWirePolicy>[0];
  assertSchema(PolicyBody, body);
  const input = fromWirePolicy(body);
  assertSound(input);
  return input;
}

/** Functions that read and write complete policies, for projects, which define every field. */
export const policyDefinitions = {
  parse,
  write: toWireBody,
  list: listPolicyNames,
  load: mapPolicies,
  create: createPolicy,
  change: changePolicy,
  remove: removePolicy,
} as const;
