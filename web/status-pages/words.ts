const count = (number: number, one: string, many: string) =>
  number === 1 ? `1 ${one}` : `${number.toLocaleString()} ${many}`;

export const words = {
  title: "Status pages",
  notLoaded: "The status pages could not be loaded",
  pageNotLoaded: "The status page could not be loaded",
  add: "New status page",
  empty: "No status page yet",
  emptyHint:
    "A status page tells the public what works and what does not: services on cards, incidents as you report them, maintenance as you plan it. Services can follow your checks, so that the page turns red when they do.",
  name: "Name",
  state: "State",
  address: "Address",
  services: (number: number) => count(number, "service", "services"),
  subscribers: (number: number) => count(number, "subscriber", "subscribers"),
  openIncidents: (number: number) => count(number, "open incident", "open incidents"),
  noServices: "No services yet",
  private: "Private",
  maintenance: "Under maintenance",
  open: "Open the page",
  tabs: "Parts of the status page",
  tab: {
    editor: "Editor",
    access: "Access",
    domain: "Domain",
    subscribers: "Subscribers",
    snapshots: "Snapshots",
  },
  new: {
    title: "New status page",
    nameHint: "What visitors read first, such as “Acme status”.",
    urlHint: (address: string) => `The page will be at ${address}`,
    private: "Private: visitors need a key",
    privateHint: "Everybody with the address sees a page that is not private, at once.",
    create: "Create the page",
    firstCard: "Services",
    created: (name: string) => `“${name}” is there.`,
    cancel: "Cancel",
  },
  delete: "Delete",
  deleteTitle: (name: string) => `Delete the status page “${name}”?`,
  deleteAction: "Delete the page",
  deleteText: (address: string) => `${address} will answer with “not found”.`,
  deleteLosses: (subscribers: number) =>
    `Its cards, colours, pictures and keys go with it, and its ${count(subscribers, "subscriber is", "subscribers are")} forgotten: nobody is told anything any more.`,
  deleteKept: (services: number, incidents: number) =>
    services === 0
      ? "It shows no services."
      : `Its ${count(services, "service stays", "services stay")}, with ${incidents === 0 ? "their incidents" : `their incidents (${incidents.toLocaleString()} open)`}: other pages may show them.`,
  deleted: (name: string) => `The status page “${name}” was deleted.`,
  mayNot: "Your role may look at status pages, not change them.",
} as const;
