import { Type } from "typebox";
import { formatDateTime } from "../../platform/dates.ts";
import {
  DateTime,
  Described,
  Filled,
  Guid,
  Matching,
  OneOf,
  OrNull,
  paging,
} from "../../platform/http/schema.ts";
import { CssWarningList, formatPictureAddress, maxCssBytes, type PageKey } from "../sites/index.ts";
import {
  type DashboardRequest,
  type DashboardWithKeys,
  defaultSettings as defaults,
  layouts,
  paginationRates,
  refreshRates,
  widths,
} from "./dashboard.ts";

const NumberOf = <Value extends number>(values: readonly Value[], byDefault: Value) =>
  Type.Unsafe<Value>({ type: "number", enum: [...values], default: byDefault });

/** Without `useDefaults`: what an update does not name keeps its value, so these only document. */
const shown = (byDefault: unknown) => ({ examples: [byDefault] });

const httpRule = "must be empty or a URL that begins with http:// or https://";
const picturePattern = "^$|^https?://[^\\s]{1,2040}$|^data:image/[a-z.+-]+;base64,[A-Za-z0-9+/=]+$";
const Address = (what: string) =>
  Type.Optional(
    OrNull(
      Matching("^$|^https?://[^\\s]+$", httpRule, {
        maxLength: 2_048,
        description: `${what}: an http or https address, or empty for none`,
      }),
    ),
  );
const Picture = (what: string) =>
  Type.Optional(
    OrNull(
      Matching(picturePattern, `${httpRule}, or an image as a data: URL`, {
        maxLength: 275_000,
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
  layout: Type.Optional(
    Type.Enum([...layouts], {
      type: "string",
      description: "a table with figures, or a tile for each check; by default TABLE",
    }),
  ),
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
  sortByStatus: Described(
    Flag("after what fails, checks without data before those that pass", defaults.sortByStatus),
    "Whether checks without data come before those that pass.",
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
  showP95: Flag("the 95th percentile of response time", defaults.showP95),
  showP99: Flag("the 99th percentile of response time", defaults.showP99),
};

/** Clients send back the keys they were shown; only a boolean says anything. */
const KeysInput = Type.Optional(
  Type.Unsafe<boolean | readonly unknown[] | null>({
    anyOf: [{ type: "boolean" }, { type: "array", maxItems: 100 }, { type: "null" }],
    description:
      "A dashboard that turns private comes with its first key, shown once; false: with none. " +
      "true: also one that is private already and has none.",
  }),
);

const Header = Filled({ maxLength: 255 });

export const DashboardBody = Type.Object(
  {
    header: Described(Header, "The heading.", "Network"),
    ...fields,
    keys: KeysInput,
  },
  { title: "DashboardInput" },
);
export type DashboardBody = Type.Static<typeof DashboardBody>;
export const DashboardChange = Type.Object(
  {
    header: Described(Type.Optional(Header), "The heading.", "Network"),
    ...fields,
    keys: KeysInput,
  },
  { title: "DashboardChange" },
);
export type DashboardChange = Type.Static<typeof DashboardChange>;

export const DashboardParams = Type.Object({
  dashboardId: Type.String({
    description: "The dashboard's id, or its own address with `type`.",
    examples: ["x7k2m9qa"],
    minLength: 1,
    maxLength: 260,
  }),
});
export const KeyParams = Type.Object({
  dashboardId: Type.String({
    description: "The dashboard's id, or its own address with `type`.",
    examples: ["x7k2m9qa"],
    minLength: 1,
    maxLength: 260,
  }),
  keyId: Described(Guid, "The key's id."),
});
export const DashboardQuery = Type.Object({
  type: Described(
    Type.Optional(OneOf(["customUrl", "customDomain"])),
    "What the id in the path is: a `customUrl` or a `customDomain`; absent: the id.",
  ),
});
export const ListQuery = Type.Object({
  ...paging,
});

export const KeySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    rawKey: Type.Optional(
      Type.String({ description: "The key itself, when it was made just now; never again." }),
    ),
    maskedKey: Type.String({
      description: "The key, masked except for its end.",
      examples: ["…4f2a"],
    }),
    created_at: Described(DateTime, "When it was created."),
    updated_at: Described(OrNull(DateTime), "When it was last changed; null: never."),
    lastUsedAt: Described(
      OrNull(DateTime),
      "When it last opened the dashboard, to the minute; null: never.",
    ),
  },
  { title: "DashboardKey" },
);
export const KeyList = Type.Array(KeySchema);

const Text = OrNull(Type.String());

export const DashboardSchema = Type.Object(
  {
    dashboardId: Type.String({ description: "what every path says" }),
    id: Type.Integer({ description: "Its number.", examples: [4] }),
    customUrl: Described(Text, "The name below /dashboards/; null: none.", "network"),
    customDomain: Described(Text, "A host name of its own; null: none.", null),
    logo: Described(Text, "The picture in the header; null: none.", null),
    favicon: Described(Text, "The picture of the browser's tab; null: the usual one.", null),
    link: Described(Text, "Where the logo leads; null: nowhere.", null),
    header: Type.String({ description: "The heading.", examples: ["Network"] }),
    description: Described(Text, "Text below the header; null: none.", null),
    width: Type.Enum([...widths], {
      description: "How wide it is drawn.",
      type: "string",
      ...shown(defaults.width),
    }),
    layout: Type.Enum([...layouts], {
      type: "string",
      description: "A table with figures, or a tile for each check.",
    }),
    refreshRate: Described(NumberOf(refreshRates, 60), "Seconds between looks for news."),
    paginate: Type.Boolean({ description: "Whether pages turn by themselves." }),
    paginationRate: Described(NumberOf(paginationRates, 60), "Seconds for each page."),
    sortByStatus: Type.Boolean({
      description: "Whether checks without data come before those that pass.",
    }),
    checksPerPage: Type.Integer({ description: "How many checks on a page.", examples: [15] }),
    useTagsAndOperator: Type.Boolean({
      description: "True: checks with all of the tags; false: with any.",
    }),
    hideTags: Type.Boolean({ description: "Whether tags are left out." }),
    enableIncidents: Type.Boolean({ description: "Whether ongoing incidents are shown." }),
    expandChecks: Type.Boolean({ description: "Whether each check shows its locations." }),
    tags: Type.Array(Type.String(), {
      description: "Which checks are shown; empty: all of them.",
      examples: [["production"]],
    }),
    showHeader: Type.Boolean({ description: "Whether header and description are shown." }),
    showCheckRunLinks: Type.Boolean({ description: "Whether each check links to its last run." }),
    showGroupNames: Type.Boolean({ description: "Whether the names of groups are shown." }),
    customCSS: Type.String({ description: "Styles of its own, as they were sent." }),
    isPrivate: Type.Boolean({ description: "True: only for whoever has a key." }),
    showP95: Type.Boolean({
      description: "Whether the 95th percentile of response time is shown.",
    }),
    showP99: Type.Boolean({
      description: "Whether the 99th percentile of response time is shown.",
    }),
    keys: Described(KeyList, "The keys of a private dashboard, masked."),
    cssWarnings: CssWarningList,
    created_at: Described(DateTime, "When it was created."),
    updated_at: Described(OrNull(DateTime), "When it was last changed; null: never."),
  },
  { title: "Dashboard" },
);
export const DashboardList = Type.Array(DashboardSchema);

export function toWireKey(key: PageKey & { readonly rawKey?: string }) {
  return {
    id: key.id,
    ...(key.rawKey === undefined ? {} : { rawKey: key.rawKey }),
    maskedKey: key.maskedKey,
    created_at: formatDateTime(key.createdAt),
    updated_at: key.updatedAt && formatDateTime(key.updatedAt),
    lastUsedAt: key.lastUsedAt && formatDateTime(key.lastUsedAt),
  };
}

/** Clients send back what they read: keys that were shown ask for nothing. */
export function fromWireDashboard(body: DashboardBody | DashboardChange): DashboardRequest {
  const { keys, ...input } = body;
  return { input, firstKey: typeof keys === "boolean" ? keys : null };
}

/** `folder` is where the dashboard is found: pictures sent to us are served from there. */
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
