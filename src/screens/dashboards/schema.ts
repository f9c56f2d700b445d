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
import { PreviewSchema } from "../../sites/previews/index.ts";
import {
  CssWarningList,
  formatPictureAddress,
  maxCssBytes,
  type PageKey,
} from "../../sites/publishing/index.ts";
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

/**
 * Documents a default value as an example. A schema default would be filled in for an omitted
 * field, but an update must keep the values of omitted fields.
 */
const shown = (byDefault: unknown) => ({ examples: [byDefault] });

const httpRule = "must be empty or a URL that begins with http:// or https://";
const picturePattern = "^$|^https?://[^\\s]{1,2040}$|^data:image/[a-z.+-]+;base64,[A-Za-z0-9+/=]+$";
const Address = (what: string) =>
  Type.Optional(
    OrNull(
      Matching("^$|^https?://[^\\s]+$", httpRule, {
        maxLength: 2_048,
        description: `${what}: an http or https URL; empty for none.`,
      }),
    ),
  );
const Picture = (what: string) =>
  Type.Optional(
    OrNull(
      Matching(picturePattern, `${httpRule}, or an image as a data: URL`, {
        maxLength: 275_000,
        description: `${what}: fetched once and served by this server; empty for none.`,
      }),
    ),
  );
const Flag = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ description: `${description} Default: ${byDefault}.` }));

const Tag = Type.String({ minLength: 1, maxLength: 255 });

const fields = {
  customUrl: Type.Optional(
    OrNull(
      Type.String({
        maxLength: 63,
        description: "Name below `/dashboards/` and as a subdomain; unique over all accounts.",
      }),
    ),
  ),
  customDomain: Type.Optional(
    OrNull(
      Type.String({
        maxLength: 260,
        description: "Custom domain; unique over all accounts.",
      }),
    ),
  ),
  logo: Picture("Logo"),
  favicon: Picture("Favicon"),
  link: Address("Link of the logo"),
  description: Type.Optional(
    OrNull(Type.String({ maxLength: 1_000, description: "Text below the header." })),
  ),
  width: Type.Optional(
    Type.Enum([...widths], { type: "string", description: "Width of the page. Default: FULL." }),
  ),
  layout: Type.Optional(
    Type.Enum([...layouts], {
      type: "string",
      description: "A table with figures, or a tile for each check. Default: TABLE.",
    }),
  ),
  refreshRate: Type.Optional(
    Type.Unsafe<(typeof refreshRates)[number]>({
      type: "number",
      enum: [...refreshRates],
      description: "Seconds between refreshes. Default: 60.",
    }),
  ),
  paginate: Flag("Whether to cycle through pages automatically.", defaults.paginate),
  paginationRate: Type.Optional(
    Type.Unsafe<(typeof paginationRates)[number]>({
      type: "number",
      enum: [...paginationRates],
      description: "Seconds for each page. Default: 60.",
    }),
  ),
  sortByStatus: Described(
    Flag("Whether checks without data come before passing ones.", defaults.sortByStatus),
    "Whether checks without data come before passing ones.",
  ),
  checksPerPage: Type.Optional(
    OrNull(
      Type.Integer({
        minimum: 1,
        maximum: 20,
        description: "Number of checks per page. Default: 15.",
      }),
    ),
  ),
  useTagsAndOperator: Type.Optional(
    OrNull(
      Type.Boolean({
        description: "Whether checks must have all of the tags. Default: any of them.",
      }),
    ),
  ),
  hideTags: Flag("Whether to hide the tags of checks.", defaults.hideTags),
  enableIncidents: Flag(
    "Whether to show the account's ongoing incidents.",
    defaults.enableIncidents,
  ),
  expandChecks: Flag("Whether to show the locations of each check.", defaults.expandChecks),
  tags: Type.Optional(
    Type.Array(Tag, {
      maxItems: 50,
      description: "Tags of the checks to show; empty for all checks.",
    }),
  ),
  showHeader: Flag("Whether to show header and description.", defaults.showHeader),
  showCheckRunLinks: Flag("Whether each check links to its last run.", defaults.showCheckRunLinks),
  showGroupNames: Flag("Whether to show the names of groups.", defaults.showGroupNames),
  customCSS: Type.Optional(
    OrNull(
      Type.String({
        maxLength: maxCssBytes,
        description: "Custom CSS. `cssWarnings` lists the rules that the filter removes.",
      }),
    ),
  ),
  isPrivate: Flag(
    "Whether only members of the account and people with a key can view the dashboard. If " +
      "`false`, everybody who knows the address can.",
    defaults.isPrivate,
  ),
  showP95: Flag("Whether to show the 95th percentile of response time.", defaults.showP95),
  showP99: Flag("Whether to show the 99th percentile of response time.", defaults.showP99),
};

/**
 * Field `keys` of a request body. Clients may send back the list of keys that they read, but only a
 * boolean has an effect.
 */
const KeysInput = Type.Optional(
  Type.Unsafe<boolean | readonly unknown[] | null>({
    anyOf: [{ type: "boolean" }, { type: "array", maxItems: 100 }, { type: "null" }],
    description:
      "A dashboard that becomes private gets its first key, shown once; with `false` it gets " +
      "none. With `true`, a private dashboard without keys gets one too.",
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
    description: "The dashboard's id, or a custom address if `type` is given.",
    examples: ["x7k2m9qa"],
    minLength: 1,
    maxLength: 260,
  }),
});
export const KeyParams = Type.Object({
  dashboardId: Type.String({
    description: "The dashboard's id, or a custom address if `type` is given.",
    examples: ["x7k2m9qa"],
    minLength: 1,
    maxLength: 260,
  }),
  keyId: Described(Guid, "The key's id."),
});
export const DashboardQuery = Type.Object({
  type: Described(
    Type.Optional(OneOf(["customUrl", "customDomain"])),
    "Type of the id in the path: `customUrl` or `customDomain`. If omitted, the dashboard's id.",
  ),
});
export const ListQuery = Type.Object({
  ...paging,
});

export const KeySchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    rawKey: Type.Optional(
      Type.String({ description: "The key. Present only in the response that created it." }),
    ),
    maskedKey: Type.String({
      description: "The key, masked except for its last characters.",
      examples: ["…4f2a"],
    }),
    created_at: Described(DateTime, "Creation time."),
    updated_at: Described(OrNull(DateTime), "Time of the last change; `null` if never changed."),
    lastUsedAt: Described(
      OrNull(DateTime),
      "Time of the last use, to the minute; `null` if never used.",
    ),
  },
  { title: "DashboardKey" },
);
export const KeyList = Type.Array(KeySchema);

const Text = OrNull(Type.String());

export const DashboardSchema = Type.Object(
  {
    dashboardId: Type.String({ description: "Id of the dashboard, used in paths." }),
    id: Type.Integer({ description: "Its number.", examples: [4] }),
    customUrl: Described(Text, "Name below `/dashboards/`; `null` if none.", "network"),
    customDomain: Described(Text, "Custom domain; `null` if none.", null),
    logo: Described(Text, "Logo; `null` if none.", null),
    favicon: Described(Text, "Favicon; `null` for the default.", null),
    link: Described(Text, "Link of the logo; `null` if none.", null),
    header: Type.String({ description: "The heading.", examples: ["Network"] }),
    description: Described(Text, "Text below the header; `null` if none.", null),
    width: Type.Enum([...widths], {
      description: "Width of the page.",
      type: "string",
      ...shown(defaults.width),
    }),
    layout: Type.Enum([...layouts], {
      type: "string",
      description: "A table with figures, or a tile for each check.",
    }),
    refreshRate: Described(NumberOf(refreshRates, 60), "Seconds between refreshes."),
    paginate: Type.Boolean({ description: "Whether pages are cycled automatically." }),
    paginationRate: Described(NumberOf(paginationRates, 60), "Seconds for each page."),
    sortByStatus: Type.Boolean({
      description: "Whether checks without data come before passing ones.",
    }),
    checksPerPage: Type.Integer({ description: "Number of checks per page.", examples: [15] }),
    useTagsAndOperator: Type.Boolean({
      description: "Whether checks must have all of the tags, not just one.",
    }),
    hideTags: Type.Boolean({ description: "Whether tags are hidden." }),
    enableIncidents: Type.Boolean({ description: "Whether ongoing incidents are shown." }),
    expandChecks: Type.Boolean({ description: "Whether each check shows its locations." }),
    tags: Type.Array(Type.String(), {
      description: "Tags of the checks to show; empty for all checks.",
      examples: [["production"]],
    }),
    showHeader: Type.Boolean({ description: "Whether header and description are shown." }),
    showCheckRunLinks: Type.Boolean({ description: "Whether each check links to its last run." }),
    showGroupNames: Type.Boolean({ description: "Whether the names of groups are shown." }),
    customCSS: Type.String({ description: "Custom CSS, as sent." }),
    isPrivate: Type.Boolean({
      description: "Whether only members of the account and people with a key can view it.",
    }),
    showP95: Type.Boolean({
      description: "Whether the 95th percentile of response time is shown.",
    }),
    showP99: Type.Boolean({
      description: "Whether the 99th percentile of response time is shown.",
    }),
    keys: Described(KeyList, "The keys of a private dashboard, masked."),
    cssWarnings: CssWarningList,
    created_at: Described(DateTime, "Creation time."),
    updated_at: Described(OrNull(DateTime), "Time of the last change; `null` if never changed."),
  },
  { title: "Dashboard" },
);
export const DashboardList = Type.Array(DashboardSchema);

const { keys: _keys, ...previewFields } = DashboardChange.properties;

export const DashboardPreviewBody = Type.Object(
  {
    ...previewFields,
    dashboardId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 260,
        description:
          "The dashboard to change; omitted fields keep its values. Omit it to preview a new one.",
        examples: ["x7k2m9qa"],
      }),
    ),
  },
  { title: "DashboardPreviewInput" },
);

export const DashboardPreviewSchema = Type.Object(
  {
    ...PreviewSchema.properties,
    cssWarnings: CssWarningList,
    checkCount: Type.Integer({
      description: "Number of checks on all its pages.",
      examples: [12],
    }),
  },
  { title: "DashboardPreview" },
);

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

/**
 * Converts a request body. A list of keys is ignored, because clients may send back what they read.
 */
export function fromWireDashboard(body: DashboardBody | DashboardChange): DashboardRequest {
  const { keys, ...input } = body;
  return { input, firstKey: typeof keys === "boolean" ? keys : null };
}

/** Converts a dashboard to its API form. Uploaded images are served below the URL `folder`. */
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
