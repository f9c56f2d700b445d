/**
 * Public status pages. A *page* has *cards*, a card shows *services*, and a service may *follow*
 * checks. `incidents` decides the state of a service; `public-pages` renders the page. Clients may
 * describe cards and services as *components*. A *rule* opens incidents for checks with a tag.
 * Tables: services, service_follows, status_pages, status_page_cards, status_page_card_services,
 * status_page_rules, status_page_rule_components, rule_evaluations.
 * Views: shown_services, addressed_pages.
 */
export { type Component, type ComponentInput, listComponents } from "./components/component.ts";
export type { ServicesContext, StatusPagesContext } from "./context.ts";
export {
  componentDefinitions,
  pageDefinitions,
  ruleDefinitions,
  serviceDefinitions,
} from "./definitions.ts";
export { draftStatusPage } from "./draft-page.ts";
export { completeSettings } from "./page-settings.ts";
export {
  findStatusPageByUrl,
  findStatusPageOfLink,
  listPublicStatusPages,
} from "./public-store.ts";
export { addStatusPageRoutes } from "./routes.ts";
export { ruleEvaluations } from "./rules/evaluation-store.ts";
export type { AutomationRule, Impact, RuleInput } from "./rules/rule.ts";
export { ContrastWarningSchema, PaletteSchema, StatusPageBody } from "./schema.ts";
export { type Follow, ServiceSchema, toWireService } from "./services/schema.ts";
export { getService, listAllServices } from "./services/services.ts";
export {
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
} from "./status-page.ts";
export {
  findStatusPageById,
  holdStatusPage,
  listStatusPagesOf,
} from "./store.ts";
