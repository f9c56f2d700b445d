import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import { DateTime, Guid, OneOf, OrNull } from "../../platform/http/schema.ts";
import { formatPictureAddress, maskPageKey, type PageKey } from "../status-pages/index.ts";
import { maxCssBytes } from "./custom-css/filter.ts";
import {
  type Dashboard,
  defaultSettings as defaults,
  paginationRates,
  refreshRates,
  widths,
} from "./dashboard.ts";

const NumberOf = <Value extends number>(values: readonly Value[], byDefault: Value) =>
  Type.Unsafe<Value>({ type: "number", enum: [...values], default: byDefault });

/** Without `useDefaults`: what an update does not name keeps its value, so these only document. */
const shown = (byDefault: unknown) => ({ examples: [byDefault] });

const Address = (what: string) =>
  Type.Optional(
    OrNull(
      Type.String({
        maxLength: 2_048,
        pattern: "^$|^https?://[^\\s]+$",
        description: `${what}: an http or https address, or empty for none`,
      }),
    ),
  );
const Picture = (what: string) =>
  Type.Optional(
    OrNull(
      Type.String({
        maxLength: 275_000,
        pattern: "^$|^https?://[^\\s]{1,2040}$|^data:image/[a-z.+-]+;base64,[A-Za-z0-9+/=]+$",
        description: `${what}: fetched once and served from here; empty for none`,
      }),
    ),
  );
const Flag = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ description: `${description}; by default ${byDefault}` }));

const Tag = Type.String({ minLength: 1, maxLength: 255 });

const fields = {
  customUrl: Type.Optional(
    OrNull(
      Type.String({
        maxLength: 63,
        description: "the name below /dashboards/ and as a subdomain; unique over all accounts",
      }),
    ),
  ),
  customDomain: Type.Optional(
    OrNull(
      Type.String({
        maxLength: 260,
        description: "a host name of your own; unique over all accounts",
      }),
    ),
  ),
  logo: Picture("the picture beside the header"),
  favicon: Picture("the picture of the browser's tab"),
  link: Address("where the logo leads"),
  description: Type.Optional(
    OrNull(Type.String({ maxLength: 1_000, description: "text below the header" })),
  ),
  width: Type.Optional(Type.Enum([...widths], { type: "string", description: "by default FULL" })),
  refreshRate: Type.Optional(
    Type.Unsafe<(typeof refreshRates)[number]>({
      type: "number",
      enum: [...refreshRates],
      description: "seconds; by default 60",
    }),
  ),
  paginate: Flag("pages that turn by themselves", defaults.paginate),
  paginationRate: Type.Optional(
    Type.Unsafe<(typeof paginationRates)[number]>({
      type: "number",
      enum: [...paginationRates],
      description: "seconds; by default 60",
    }),
  ),
  sortByStatus: Flag(
    "after what fails, checks without data before those that pass",
    defaults.sortByStatus,
  ),
  checksPerPage: Type.Optional(
    OrNull(Type.Integer({ minimum: 1, maximum: 20, description: "by default 15" })),
  ),
  useTagsAndOperator: Type.Optional(
    OrNull(Type.Boolean({ description: "checks with all of the tags; by default with any" })),
  ),
  hideTags: Flag("no tags beside the checks", defaults.hideTags),
  enableIncidents: Flag("the account's incidents that go on", defaults.enableIncidents),
  expandChecks: Flag("each check with its locations", defaults.expandChecks),
  tags: Type.Optional(
    Type.Array(Tag, { maxItems: 50, description: "which checks are shown; none is all of them" }),
  ),
  showHeader: Flag("header and description", defaults.showHeader),
  showCheckRunLinks: Flag("a link to each check's last run", defaults.showCheckRunLinks),
  showGroupNames: Flag("the names of the checks' groups", defaults.showGroupNames),
  customCSS: Type.Optional(
    OrNull(
      Type.String({
        maxLength: maxCssBytes,
        description: "filtered: see cssWarnings for what was left out",
      }),
    ),
  ),
  isPrivate: Flag("only for whoever has a key", defaults.isPrivate),
  showP95: Flag("the 95th percentile of latency", defaults.showP95),
  showP99: Flag("the 99th percentile of latency", defaults.showP99),
};

/** Clients send back the keys they were shown; only a boolean says anything. */
const keysWish = Type.Optional(
  Type.Unsafe<boolean | readonly unknown[] | null>({
    anyOf: [{ type: "boolean" }, { type: "array", maxItems: 100 }, { type: "null" }],
    description:
      "A dashboard that turns private comes with its first key, shown once; false: with none. " +
      "true: also one that is private already and has none.",
  }),
);

const Header = Type.String({ minLength: 1, maxLength: 255, pattern: "\\S" });

export const DashboardBody = Type.Object({ header: Header, ...fields, keys: keysWish });
export type DashboardBody = Type.Static<typeof DashboardBody>;
export const DashboardChange = Type.Object({
  header: Type.Optional(Header),
  ...fields,
  keys: keysWish,
});
export type DashboardChange = Type.Static<typeof DashboardChange>;

export const DashboardParams = Type.Object({
  dashboardId: Type.String({ minLength: 1, maxLength: 260 }),
});
export const KeyParams = Type.Object({
  dashboardId: Type.String({ minLength: 1, maxLength: 260 }),
  keyId: Guid,
});
export const DashboardQuery = Type.Object({
  type: Type.Optional(OneOf(["customUrl", "customDomain"])),
});
export const ListQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
  page: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1 }),
});

export const KeySchema = Type.Object({
  id: Guid,
  rawKey: Type.Optional(
    Type.String({ description: "The key itself, when it was made just now; never again." }),
  ),
  maskedKey: Type.String(),
  created_at: DateTime,
  updated_at: OrNull(DateTime),
});
export const KeyList = Type.Array(KeySchema);

const Text = OrNull(Type.String());

export const DashboardSchema = Type.Object({
  dashboardId: Type.String({ description: "what every path says" }),
  id: Type.Integer(),
  customUrl: Text,
  customDomain: Text,
  logo: Text,
  favicon: Text,
  link: Text,
  header: Type.String(),
  description: Text,
  width: Type.Enum([...widths], { type: "string", ...shown(defaults.width) }),
  refreshRate: NumberOf(refreshRates, 60),
  paginate: Type.Boolean(),
  paginationRate: NumberOf(paginationRates, 60),
  sortByStatus: Type.Boolean(),
  checksPerPage: Type.Integer(),
  useTagsAndOperator: Type.Boolean(),
  hideTags: Type.Boolean(),
  enableIncidents: Type.Boolean(),
  expandChecks: Type.Boolean(),
  tags: Type.Array(Type.String()),
  showHeader: Type.Boolean(),
  showCheckRunLinks: Type.Boolean(),
  showGroupNames: Type.Boolean(),
  customCSS: Type.String(),
  isPrivate: Type.Boolean(),
  showP95: Type.Boolean(),
  showP99: Type.Boolean(),
  keys: KeyList,
  cssWarnings: Type.Array(
    Type.Object({ line: Type.Integer(), column: Type.Integer(), message: Type.String() }),
  ),
  created_at: DateTime,
  updated_at: OrNull(DateTime),
});
export const DashboardList = Type.Array(DashboardSchema);

export function toWireKey(key: PageKey & { readonly rawKey?: string }) {
  return {
    id: key.id,
    ...(key.rawKey === undefined ? {} : { rawKey: key.rawKey }),
    maskedKey: maskPageKey(key),
    created_at: formatDateTime(key.createdAt),
    updated_at: key.updatedAt && formatDateTime(key.updatedAt),
  };
}

export type DashboardWithKeys = Dashboard & {
  readonly keys: readonly (PageKey & { readonly rawKey?: string })[];
};

/** `folder` is where the dashboard is found: pictures that were sent to us are served from there. */
export function toWireDashboard(dashboard: DashboardWithKeys, folder: string) {
  const { logo, favicon } = dashboard.settings;
  return {
    dashboardId: dashboard.dashboardId,
    id: dashboard.id,
    ...dashboard.settings,
    logo: formatPictureAddress(logo, { folder, role: "logo" }),
    favicon: formatPictureAddress(favicon, { folder, role: "favicon" }),
    tags: [...dashboard.settings.tags],
    keys: dashboard.keys.map(toWireKey),
    cssWarnings: [...dashboard.cssWarnings],
    created_at: formatDateTime(dashboard.createdAt),
    updated_at: dashboard.updatedAt && formatDateTime(dashboard.updatedAt),
  };
}
