import { reference } from "../../reading.ts";
import { cutName, type ReadingBuilder } from "../../reading-builder.ts";
import type { Row } from "../row.ts";
import type { KumaData } from "./kuma-data.ts";
import { monitorOrigin } from "./kuma-monitors.ts";

const themes = { light: "LIGHT", dark: "DARK", auto: "AUTO" } as const;

const byWeight = (one: Row, other: Row) =>
  (one.number("weight") ?? 0) - (other.number("weight") ?? 0) ||
  (one.number("id") ?? 0) - (other.number("id") ?? 0);

/** Adds a service for a monitor on a status page. The service follows the check of the monitor. */
function addService(
  builder: ReadingBuilder,
  names: ReadonlyMap<number, string>,
  monitorId: number,
): string | null {
  const check = monitorOrigin(monitorId);
  const logicalId = `kuma/service-${monitorId}`;
  if (builder.has(logicalId)) return logicalId;
  const name = cutName(names.get(monitorId) ?? "");
  if (!builder.has(check) || name === "Unnamed") return null;
  const payload = { name, follows: { checkIds: [reference(check)] } };
  return builder.add({ type: "status-page-service", logicalId, payload }, name) ? logicalId : null;
}

/**
 * Returns the service for a monitor. A monitor of type `manual` has already been imported as a
 * service.
 */
function findService(
  builder: ReadingBuilder,
  data: KumaData,
  names: ReadonlyMap<number, string>,
  monitorId: number,
): string | null {
  const row = data.monitors.find((monitor) => monitor.integer("id") === monitorId);
  if (row?.text("type") === "manual") return monitorOrigin(monitorId);
  return row?.text("type") === "group" ? null : addService(builder, names, monitorId);
}

function readCards(
  builder: ReadingBuilder,
  data: KumaData,
  pageId: number,
  names: ReadonlyMap<number, string>,
) {
  const groups = data.groups.filter((group) => group.integer("status_page_id") === pageId);
  return groups.sort(byWeight).map((group) => {
    const members = data.groupMonitors
      .filter((member) => member.integer("group_id") === group.integer("id"))
      .sort(byWeight);
    const services = members.flatMap((member) => {
      const monitorId = member.integer("monitor_id");
      if (monitorId === null) return [];
      return findService(builder, data, names, monitorId) ?? [];
    });
    return {
      name: cutName(group.text("name") ?? "Services"),
      services: [...new Set(services)].map(reference),
    };
  });
}

const unsupported = [
  ["custom_css", "custom CSS"],
  ["analytics_id", "analytics"],
] as const;

function reportUnused(
  builder: ReadingBuilder,
  data: KumaData,
  row: Row,
  origin: { readonly origin: string; readonly name: string },
): void {
  const domains = data.statusPageDomains
    .filter((domain) => domain.integer("status_page_id") === row.integer("id"))
    .flatMap((domain) => domain.text("domain") ?? []);
  if (domains.length > 0) {
    const why = "Add the domain to the page when its DNS record points here.";
    builder.change(origin, "domain", { from: domains.join(", "), to: "none", why });
  }
  for (const [key, field] of unsupported) {
    if (row.text(key) === null) continue;
    const why = "It does not fit the pages here; set it by hand if you need it.";
    builder.change(origin, field, { from: "set", to: "none", why });
  }
}

export function addStatusPages(builder: ReadingBuilder, data: KumaData): void {
  const names = new Map(
    data.monitors.map((row) => [row.integer("id") ?? -1, row.text("name") ?? ""]),
  );
  for (const row of data.statusPages) {
    const id = row.integer("id");
    if (id === null) continue;
    const name = row.text("title") ?? row.text("slug") ?? `Page ${id}`;
    const origin = { origin: `kuma/status-page-${id}`, name };
    reportUnused(builder, data, row, origin);
    const isPublished = row.flag("published", true);
    if (!isPublished) {
      const why = "It was not published, so it is private: a key is needed to view it.";
      builder.change(origin, "visibility", { from: "not published", to: "private", why });
    }
    const payload = {
      name: cutName(name),
      url: (row.text("slug") ?? `page-${id}`).toLowerCase(),
      description: row.text("description")?.slice(0, 500) ?? null,
      defaultTheme: themes[row.text("theme") as keyof typeof themes] ?? "AUTO",
      footerText: row.text("footer_text")?.slice(0, 1_000) ?? null,
      isPrivate: !isPublished,
      cards: readCards(builder, data, id, names),
    };
    builder.add({ type: "status-page", logicalId: origin.origin, payload }, name);
  }
  for (const row of data.incidents) {
    const name = row.text("title") ?? "Incident";
    const why = "Incidents are not imported. Create one if it is still current.";
    builder.leaveOut({ origin: `kuma/incident-${row.integer("id") ?? 0}`, name }, why);
  }
}
