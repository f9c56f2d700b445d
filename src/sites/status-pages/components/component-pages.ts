import { Type } from "typebox";
import { IdempotencyHeaders } from "../../../access/accounts/index.ts";
import { defaultPalettes } from "../../../pages/status-page/theme.ts";
import { toDay } from "../../../platform/dates.ts";
import {
  answers,
  CursorPage,
  DateOnly,
  Described,
  Guid,
  Name,
  Nothing,
  ObjectOrNull,
  OneOf,
  OrNull,
  toCursorPage,
} from "../../../platform/http/schema.ts";
import type { HttpServer } from "../../../platform/http/server.ts";
import { formatPictureAddress, maxPictureAddressLength } from "../../publishing/index.ts";
import {
  changeStatusPage,
  createStatusPage,
  getStatusPage,
  listOwnStatusPages,
  removeStatusPage,
} from "../actions.ts";
import type { ServicesContext } from "../context.ts";
import {
  PageUrl,
  PaletteSchema,
  StatusPageParams,
  StatusPageQuery,
  ThemeColors,
} from "../schema.ts";
import {
  formatPageFolder,
  type PageLink,
  type Palette,
  type StatusPage,
  type StatusPageInput,
  themes,
} from "../status-page.ts";

/**
 * Names of the links that have separate fields in the components API. Such a link is stored as a
 * normal header or footer link, so that a page has one list of links.
 */
const supportName = "Support";
const privacyName = "Privacy policy";
const termsName = "Terms of service";

const Text = (maxLength: number) => Type.Optional(OrNull(Type.String({ maxLength })));
const descriptions = {
  description: "Text below the name; `null` if none.",
  customDomain: "Custom domain; `null` if none.",
  logo: "Logo in the header, as a URL or data URL; `null` if none.",
  logoDark: "Logo in the dark theme; `null` for the same logo.",
  favicon: "Favicon; `null` for the default.",
  redirectTo: "Link of the logo; `null` for the page itself.",
  privacyPolicyLink: 'URL of the footer link "Privacy policy"; `null` if there is none.',
  termsOfServiceLink: 'URL of the footer link "Terms of service"; `null` if there is none.',
  supportLink: 'URL of the header link "Support"; `null` if there is none.',
  footerText: "Plain text in the footer; `null` if there is none.",
  googleAnalyticsTag: "Stored and returned, not used: pages load nothing from other hosts.",
  allowIndexing: "Whether search engines may list the page.",
  defaultTheme: "Light, dark, or the preference of the visitor's system.",
  themeColors: "Custom colours; `null` for the defaults.",
} as const;

const PartialPalette = Type.Partial(PaletteSchema, {
  title: "PartialPalette",
  description: "Omitted colours have the default.",
});

export const ComponentPageBody = Type.Object(
  {
    name: Described(Name, "Its name.", "Acme status"),
    url: Described(PageUrl, "Path of the page below `/status/`, in lower case."),
    description: Described(Text(500), descriptions.description),
    customDomain: Described(Text(254), descriptions.customDomain),
    logo: Described(Text(maxPictureAddressLength), descriptions.logo),
    logoDark: Described(Text(maxPictureAddressLength), descriptions.logoDark),
    favicon: Described(Text(maxPictureAddressLength), descriptions.favicon),
    redirectTo: Described(Text(2_048), descriptions.redirectTo),
    privacyPolicyLink: Described(Text(2_048), descriptions.privacyPolicyLink),
    termsOfServiceLink: Described(Text(2_048), descriptions.termsOfServiceLink),
    supportLink: Described(Text(2_048), descriptions.supportLink),
    footerText: Described(Text(1_000), descriptions.footerText),
    googleAnalyticsTag: Described(Text(64), descriptions.googleAnalyticsTag),
    allowIndexing: Described(Type.Optional(OrNull(Type.Boolean())), descriptions.allowIndexing),
    defaultTheme: Described(Type.Optional(OrNull(OneOf(themes))), descriptions.defaultTheme),
    themeColors: Described(
      Type.Optional(
        ObjectOrNull(
          Type.Object({
            light: Described(Type.Optional(PartialPalette), "Colours of the light theme."),
            dark: Described(Type.Optional(PartialPalette), "Colours of the dark theme."),
          }),
        ),
      ),
      descriptions.themeColors,
    ),
    version: Type.Optional(
      Type.Integer({ minimum: 3, maximum: 3, description: "Always 3, if it is sent." }),
    ),
  },
  { title: "ComponentPageInput" },
);
export type ComponentPageBody = Type.Static<typeof ComponentPageBody>;

const Shown = OrNull(Type.String());
const ComponentPageSchema = Type.Object(
  {
    id: Described(Guid, "Its id."),
    name: Type.String({ description: "Its name.", examples: ["Acme status"] }),
    url: Type.String({ description: "Path of the page below `/status/`.", examples: ["acme"] }),
    description: Described(Shown, descriptions.description, null),
    customDomain: Described(Shown, descriptions.customDomain, null),
    logo: Described(Shown, descriptions.logo, null),
    logoDark: Described(Shown, descriptions.logoDark, null),
    favicon: Described(Shown, descriptions.favicon, null),
    redirectTo: Described(Shown, descriptions.redirectTo, null),
    privacyPolicyLink: Described(Shown, descriptions.privacyPolicyLink, null),
    termsOfServiceLink: Described(Shown, descriptions.termsOfServiceLink, null),
    supportLink: Described(Shown, descriptions.supportLink, null),
    footerText: Described(Shown, descriptions.footerText, null),
    googleAnalyticsTag: Described(Shown, descriptions.googleAnalyticsTag, null),
    allowIndexing: Type.Boolean({ description: descriptions.allowIndexing }),
    defaultTheme: Described(OneOf(themes), descriptions.defaultTheme),
    themeColors: Described(ThemeColors, descriptions.themeColors),
    isPrivate: Type.Boolean({ description: "Whether a key is needed to view the page." }),
    version: Type.Integer({ description: "Always 3: the content is components.", examples: [3] }),
    accountId: Described(Guid, "The account's id."),
    created_at: Described(DateOnly, "Date of creation, in UTC."),
    updated_at: Described(
      OrNull(DateOnly),
      "Date of the last change, in UTC; `null` if never changed.",
    ),
  },
  { title: "ComponentPage" },
);
const ComponentPageList = CursorPage(ComponentPageSchema);

const findLink = (links: readonly PageLink[], name: string) =>
  links.find((link) => link.name === name)?.url ?? null;

type Text = string | null | undefined;

/** Sets the URL of the link `name`: `undefined` keeps the link, `null` removes it. */
function setLink(links: readonly PageLink[], name: string, url: Text): readonly PageLink[] {
  if (url === undefined) return links;
  const index = links.findIndex((link) => link.name === name);
  if (url === null) return links.filter((link) => link.name !== name);
  return index < 0 ? [...links, { name, url }] : links.with(index, { name, url });
}

function completeColors(colors: ComponentPageBody["themeColors"]): StatusPageInput["themeColors"] {
  if (!colors) return colors;
  return {
    light: { ...defaultPalettes.light, ...colors.light } as Palette,
    dark: { ...defaultPalettes.dark, ...colors.dark } as Palette,
  };
}

/** Converts an empty text, with which existing clients reset a field, to `null`. */
const orNone = (text: Text): Text => (text === "" ? null : text);

/** Converts a request body. Omitted fields stay; `null` resets a field to the default. */
export function fromWireComponentPage(
  body: ComponentPageBody,
  before: Pick<StatusPage, "settings"> | null,
): StatusPageInput {
  const { headerLinks = [], footerLinks = [] } = before?.settings ?? {};
  const withPrivacy = setLink(footerLinks, privacyName, orNone(body.privacyPolicyLink));
  return {
    name: body.name,
    url: body.url,
    usesComponents: true,
    description: orNone(body.description),
    customDomain: orNone(body.customDomain),
    logo: orNone(body.logo),
    logoDark: orNone(body.logoDark),
    favicon: orNone(body.favicon),
    redirectTo: orNone(body.redirectTo),
    headerLinks: setLink(headerLinks, supportName, orNone(body.supportLink)),
    footerLinks: setLink(withPrivacy, termsName, orNone(body.termsOfServiceLink)),
    footerText: orNone(body.footerText),
    googleAnalyticsTag: orNone(body.googleAnalyticsTag),
    allowIndexing: body.allowIndexing,
    defaultTheme: body.defaultTheme,
    themeColors: completeColors(body.themeColors),
  };
}

/** Returns the API fields of a page, without its components. */
export function describeComponentPage({
  name,
  url,
  settings,
}: Pick<StatusPage, "name" | "url" | "settings">) {
  return {
    name,
    url,
    description: settings.description,
    customDomain: settings.customDomain,
    logo: settings.logo,
    logoDark: settings.logoDark,
    favicon: settings.favicon,
    redirectTo: settings.redirectTo,
    privacyPolicyLink: findLink(settings.footerLinks, privacyName),
    termsOfServiceLink: findLink(settings.footerLinks, termsName),
    supportLink: findLink(settings.headerLinks, supportName),
    footerText: settings.footerText,
    googleAnalyticsTag: settings.googleAnalyticsTag,
    allowIndexing: settings.allowIndexing,
    defaultTheme: settings.defaultTheme,
    themeColors: settings.themeColors,
    version: 3,
  };
}

function toWireComponentPage(page: StatusPage, publicUrl: string) {
  const { logo, logoDark, favicon } = page.settings;
  const folder = formatPageFolder(publicUrl, page);
  return {
    id: page.id,
    ...describeComponentPage(page),
    logo: formatPictureAddress(logo, { folder, role: "logo" }),
    logoDark: formatPictureAddress(logoDark, { folder, role: "logo-dark" }),
    favicon: formatPictureAddress(favicon, { folder, role: "favicon" }),
    isPrivate: page.isPrivate,
    accountId: page.accountId,
    created_at: toDay(page.createdAt),
    updated_at: page.updatedAt && toDay(page.updatedAt),
  };
}

const tags = ["Status page components"];

function addWriteRoutes(server: HttpServer, context: ServicesContext): void {
  const toWire = (page: StatusPage) => toWireComponentPage(page, context.publicUrl());
  server.post(
    "/v3/status-pages",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "createComponentPage",
        summary: "Create a status page for components",
        description:
          "It is immediately public at `/status/{url}`. Add its content with the operations on " +
          "components. `/v1/status-pages` shows the same page with cards.",
        headers: IdempotencyHeaders,
        body: ComponentPageBody,
        response: answers({ 201: ComponentPageSchema }, "conflict"),
      },
    },
    async ({ caller, body, headers }, reply) => {
      const input = fromWireComponentPage(body, null);
      const request = { input, idempotencyKey: headers["idempotency-key"] };
      const page = await createStatusPage(context, caller, request);
      return reply.code(201).send(toWire(page));
    },
  );
  server.put(
    "/v3/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "updateComponentPage",
        summary: "Update a status page without its components",
        description: "Omitted optional fields keep their value; components are not changed.",
        params: StatusPageParams,
        body: ComponentPageBody,
        response: answers({ 200: ComponentPageSchema }, "notFound", "conflict"),
      },
    },
    async ({ caller, params: { statusPageId }, body }) => {
      const before = await getStatusPage(context, caller, statusPageId);
      const input = fromWireComponentPage(body, before);
      const change = { id: statusPageId, input, ifMatch: undefined };
      return toWire(await changeStatusPage(context, caller, change));
    },
  );
  server.delete(
    "/v3/status-pages/:statusPageId",
    {
      config: { access: "write" },
      schema: {
        tags,
        operationId: "deleteComponentPage",
        summary: "Delete a status page with its components and rules",
        description:
          "Services that its components created are deleted too, unless another page shows them " +
          "or a check opens incidents for them. Incidents are kept.",
        params: StatusPageParams,
        response: answers({ 204: Nothing }, "notFound"),
      },
    },
    async ({ caller, params }, reply) => {
      await removeStatusPage(context, caller, params.statusPageId);
      return reply.code(204).send(null);
    },
  );
}

export function addComponentPageRoutes(server: HttpServer, context: ServicesContext): void {
  addWriteRoutes(server, context);
  const toWire = (page: StatusPage) => toWireComponentPage(page, context.publicUrl());
  server.get(
    "/v3/status-pages",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "listComponentPages",
        summary: "List status pages without their components",
        description: "The same pages as `/v1/status-pages`, in another form.",
        querystring: StatusPageQuery,
        response: answers({ 200: ComponentPageList }),
      },
    },
    async ({ caller, query: { limit, nextId } }) => {
      const pages = await listOwnStatusPages(context, caller, { limit: limit + 1, nextId });
      return toCursorPage(pages.map(toWire), limit);
    },
  );
  server.get(
    "/v3/status-pages/:statusPageId",
    {
      config: { access: "read" },
      schema: {
        tags,
        operationId: "getComponentPage",
        summary: "Get a status page without its components",
        description: "The same page as in `/v1/status-pages`, in another form.",
        params: StatusPageParams,
        response: answers({ 200: ComponentPageSchema }, "notFound"),
      },
    },
    async ({ caller, params }) => toWire(await getStatusPage(context, caller, params.statusPageId)),
  );
}
