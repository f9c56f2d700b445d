import { randomUUIDv7 } from "node:crypto";
import type { Caller } from "../../access/accounts/index.ts";
import { invalid } from "../../platform/errors.ts";
import { type DraftImages, draftPageImages, filterPageCss } from "../publishing/index.ts";
import { getStatusPage } from "./actions.ts";
import { keepCards, listServiceIdsOf, type PlannedCard, planCards } from "./cards.ts";
import type { StatusPagesContext } from "./context.ts";
import { decidePageSettings } from "./page-settings.ts";
import { listServicesByIds } from "./services/store.ts";
import {
  type Card,
  formatPageFolder,
  referToPage,
  type Service,
  type StatusPage,
  type StatusPageInput,
} from "./status-page.ts";

interface DraftPage {
  readonly page: StatusPage;
  readonly images: DraftImages;
  /** Filtered custom CSS, as visitors would receive it. */
  readonly css: string;
}

function placeServices(cards: readonly PlannedCard[], services: readonly Service[]): Card[] {
  const byId = new Map(services.map((service) => [service.id, service]));
  return cards.map((card) => ({
    ...card,
    services: card.services.flatMap(({ serviceId, ...place }) => {
      const service = byId.get(serviceId);
      return service === undefined ? [] : [{ ...service, ...place }];
    }),
  }));
}

/** Validates the input as saving does, and returns the resulting page without storing it. */
export async function draftStatusPage(
  context: Pick<StatusPagesContext, "db" | "clock" | "publicUrl" | "allowPrivate">,
  caller: Caller,
  draft: { readonly id: string | undefined; readonly input: StatusPageInput },
): Promise<DraftPage> {
  const { input } = draft;
  const { db } = context;
  const at = context.clock.now();
  const before = draft.id === undefined ? null : await getStatusPage(context, caller, draft.id);
  const decided = decidePageSettings(before, input, context.publicUrl());
  if (decided.kind === "fault") throw invalid(decided.fault.key, decided.fault.rule);
  const storedIds = before?.cards.flatMap(({ services }) => services.map(({ id }) => id)) ?? [];
  const cards = input.cards ?? keepCards(before);
  const ids = [...new Set([...listServiceIdsOf(cards), ...storedIds])];
  const services = await listServicesByIds(db, caller.accountId, ids);
  const plan = planCards(cards, {
    before: before?.cards ?? [],
    knownServiceIds: new Set(services.map(({ id }) => id)),
    newId: randomUUIDv7,
    at,
  });
  if (plan.kind === "invalid") throw invalid(plan.key, plan.rule);
  const { customCSS } = decided.settings;
  const { css, warnings } = await filterPageCss({ source: customCSS, scope: "status-page" });
  const { logo = null, logoDark = null, favicon = null } = before?.settings ?? {};
  const id = before?.id ?? randomUUIDv7();
  const images = await draftPageImages(db, {
    ...referToPage(id),
    images: { logo: input.logo, "logo-dark": input.logoDark, favicon: input.favicon },
    stored: { logo, "logo-dark": logoDark, favicon },
    folder: formatPageFolder(context.publicUrl(), before ?? input),
    allowPrivate: context.allowPrivate,
  });
  const page = {
    id,
    accountId: caller.accountId,
    name: input.name,
    url: decided.url,
    isPrivate: decided.isPrivate,
    settings: { ...decided.settings, logo, logoDark, favicon },
    cssWarnings: warnings,
    servedDomain: before?.servedDomain ?? null,
    version: before?.version ?? 0,
    cards: placeServices(plan.cards, services),
    usesComponents: before?.usesComponents ?? false,
    createdAt: before?.createdAt ?? at,
    updatedAt: before?.updatedAt ?? null,
  };
  return { page, images, css };
}
