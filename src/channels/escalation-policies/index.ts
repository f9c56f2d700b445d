/**
 * An *escalation policy* has *steps* that alert channels, schedules and members one after the
 * other. Checks, groups and the account select the policy that applies to them, and the `alerting`
 * domain executes it. Tables: escalation_policies.
 */
export {
  type AccountStage,
  assertSound as assertSoundPolicy,
  createPolicy,
  getPolicy,
  listStagesOf,
  type PoliciesContext,
  savePolicyOfStages,
} from "./actions.ts";
export { policyDefinitions } from "./definitions.ts";
export {
  type DraftPolicy,
  draftPolicy,
  type EscalationPolicy,
  type EscalationTarget,
  listPolicyStages,
  type PolicyStage,
  type PolicyUses,
} from "./escalation-policy.ts";
export { mapPolicies } from "./lookup-store.ts";
export { addPolicyRoutes } from "./routes.ts";
export { fromWireRules, PolicyParams, policyRuleFields } from "./schema.ts";
export { holdPolicies, listPolicies, listPolicyNames } from "./store.ts";
