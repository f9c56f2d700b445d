/**
 * Public status pages. A *page* has *cards*, a card shows *services*, and a service may *follow*
 * checks. `incidents` decides the state of a service; `public-pages` renders the page. Clients may
 * describe cards and services as *components*. A *rule* opens incidents for checks with a tag.
 * Tables: services, service_follows, status_pages, status_page_cards, status_page_card_services,
 * status_page_rules, status_page_rule_components, rule_evaluations.
 * Views: shown_services, addressed_pages.
 */
export { changeStatusPage, createStatusPage, removeStatusPage } from "./actions.ts";
export { changeComponent, createComponent, removeComponent } from "./components/actions.ts";
export { type Component, type ComponentInput, listComponents } from "./components/component.ts";
export {
  ComponentPageBody,
  describeComponentPage,
  fromWireComponentPage,
} from "./components/page-body.ts";
export { ComponentBody, fromWireComponent } from "./components/schema.ts";
export { listComponentServiceIds, mapPagesOfComponents } from "./components/store.ts";
export type { ServicesContext, StatusPagesContext } from "./context.ts";
export { type ContrastWarning, findContrastWarnings } from "./contrast.ts";
export { type DraftPage, draftStatusPage } from "./draft-page.ts";
export { completeSettings } from "./page-settings.ts";
export {
  type AddressedPage,
  findStatusPageByUrl,
  findStatusPageOfLink,
  listPublicStatusPages,
} from "./public-store.ts";
export { addStatusPageRoutes } from "./routes.ts";
export { changeRule, createRule, removeRule } from "./rules/actions.ts";
export {
  listAccountsWithFailingRules,
  listDueEvaluations,
  requestRuleEvaluation,
  takeDueEvaluations,
} from "./rules/evaluation-store.ts";
export type { AutomationRule, Impact, RuleInput } from "./rules/rule.ts";
export { fromWireRule, RuleBody } from "./rules/schema.ts";
export {
  listRulesByIds,
  listRulesOfPage,
  lockRules,
  releaseRuleIncident,
  saveRuleState,
} from "./rules/store.ts";
export { ContrastWarningSchema, PaletteSchema, StatusPageBody } from "./schema.ts";
export {
  changeService,
  createService,
  getService,
  listAllServices,
  removeService,
} from "./services/actions.ts";
export type { Follow } from "./services/follows.ts";
export { ServiceBody, ServiceSchema, toWireService } from "./services/schema.ts";
export {
  backdateServices,
  holdServices,
  listServices,
  listServicesByIds,
  listServicesThatFollow,
  mapFollows,
} from "./services/store.ts";
export {
  findBasePath,
  formatPageUrl,
  listServicesOf,
  listShownCards,
  nameServices,
  referToPage,
  type Service,
  type StatusPage,
  type StatusPageInput,
  type StatusPageSettings,
} from "./status-page.ts";
export {
  findStatusPageById,
  holdStatusPage,
  listStatusPagesOf,
} from "./store.ts";
