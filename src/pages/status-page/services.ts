/** A service with its card on the page. */
export interface NamedService {
  readonly id: string;
  readonly name: string;
  /** The card that shows it; absent if the page has only one. */
  readonly card?: string;
}

/** Groups services in the order of the page, one entry per card. */
export function groupByCard<Service extends { readonly card?: string }>(
  services: readonly Service[],
): readonly { readonly card: string | null; readonly services: readonly Service[] }[] {
  const groups = Map.groupBy(services, ({ card }) => card ?? null);
  return [...groups].map(([card, group]) => ({ card, services: group }));
}

/** Formats "Website: Shop, Search; API: Orders", or only the names. */
export function listNames(services: readonly NamedService[]): string {
  return groupByCard(services)
    .map(({ card, services: group }) => {
      const names = group.map(({ name }) => name).join(", ");
      return card === null ? names : `${card}: ${names}`;
    })
    .join("; ");
}
