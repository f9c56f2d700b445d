import type { NamedService } from "../../pages/status-page/services.ts";
import type { StatusPage } from "./status-page.ts";

/** Lists services in the order of the page, each under the first card that shows it. */
export function nameServices({ cards }: StatusPage): readonly NamedService[] {
  const isGrouped = cards.filter(({ services }) => services.length > 0).length > 1;
  const named = new Map<string, NamedService>();
  for (const card of cards) {
    for (const { id, name } of card.services) {
      if (!named.has(id)) named.set(id, { id, name, ...(isGrouped && { card: card.name }) });
    }
  }
  return [...named.values()];
}
