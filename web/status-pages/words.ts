const count = (number: number, one: string, many: string) =>
  number === 1 ? `1 ${one}` : `${number.toLocaleString()} ${many}`;

export const words = {
  title: "Status pages",
  notLoaded: "The status pages could not be loaded",
  add: "New status page",
  empty: "No status page yet",
  emptyHint:
    "A status page shows your users what works: services, incidents and scheduled maintenance. Services can follow your checks, so that the page updates automatically.",
  name: "Name",
  state: "State",
  address: "Address",
  services: (number: number) => count(number, "service", "services"),
  subscribers: (number: number) => count(number, "subscriber", "subscribers"),
  openIncidents: (number: number) => count(number, "open incident", "open incidents"),
  noServices: "No services yet",
  private: "Private",
  maintenance: "Under maintenance",
  open: "Open page",
  tabs: "Status page sections",
  tab: {
    editor: "Editor",
    access: "Access",
    domain: "Domain",
    subscribers: "Subscribers",
    snapshots: "Snapshots",
  },
  new: {
    title: "New status page",
    nameHint: "The heading of the page, such as “Acme status”.",
    urlHint: (address: string) => `The page will be at ${address}`,
    private: "Private: visitors need a key",
    privateHint: "A page that is not private is visible to everyone immediately.",
    create: "Create page",
    firstCard: "Systems",
    created: (name: string) => `The status page “${name}” was created.`,
    cancel: "Cancel",
  },
  delete: "Delete",
  deleteTitle: (name: string) => `Delete the status page “${name}”?`,
  deleteAction: "Delete page",
  deleteText: (address: string) => `${address} will return “not found”.`,
  deleteLosses: (subscribers: number) =>
    `Its cards, colours, images and keys are deleted, and its ${count(subscribers, "subscriber is", "subscribers are")} removed. They receive no further messages.`,
  deleteKept: (services: number, incidents: number) =>
    services === 0
      ? "It shows no services."
      : `Its ${count(services, "service is", "services are")} not deleted, nor ${incidents === 0 ? "their incidents" : `their incidents (${incidents.toLocaleString()} open)`}, because other pages may show them.`,
  deleted: (name: string) => `The status page “${name}” was deleted.`,
  mayNot: "Your role is read-only: you can view status pages but not change them.",
} as const;
