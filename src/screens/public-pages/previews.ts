import { Type } from "typebox";
import type { Caller } from "../../access/accounts/index.ts";
import { renderHomePage } from "../../pages/status-page/home.ts";
import { createPageLook, pageSecurityPolicy } from "../../pages/status-page/shell.ts";
import { pageIcon, pageScript, pageStyle } from "../../pages/status-page/static-files.ts";
import {
  type ContrastWarning,
  defaultPalettes,
  findContrastWarnings,
  renderTheme,
  type ThemeColors,
} from "../../pages/status-page/theme.ts";
import { answers, Described, Guid } from "../../platform/http/schema.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import {
  createPreview,
  type Preview,
  type PreviewFile,
  PreviewSchema,
  toWirePreview,
} from "../../sites/previews/index.ts";
import { type CssWarning, CssWarningList } from "../../sites/publishing/index.ts";
import {
  ContrastWarningSchema,
  draftStatusPage,
  PaletteSchema,
  StatusPageBody,
  type StatusPageInput,
} from "../../sites/status-pages/index.ts";
import type { PublicPagesContext } from "./context.ts";
import { contentTypes } from "./page-document.ts";
import { loadView } from "./rendering.ts";

const StatusPagePreviewBody = Type.Object(
  {
    ...StatusPageBody.properties,
    id: Described(
      Type.Optional(Guid),
      "The status page to change; omitted fields keep its values. Omit it to preview a new page.",
    ),
  },
  { title: "StatusPagePreviewInput" },
);

const StatusPagePreviewSchema = Type.Object(
  {
    ...PreviewSchema.properties,
    themeColors: Type.Object(
      {
        light: Described(PaletteSchema, "Colours of the light theme."),
        dark: Described(PaletteSchema, "Colours of the dark theme."),
      },
      { description: "The resulting colours: custom, derived or default." },
    ),
    contrastWarnings: Type.Array(ContrastWarningSchema, {
      description: "Colour pairs with less contrast than WCAG level AA requires.",
    }),
    cssWarnings: CssWarningList,
  },
  { title: "StatusPagePreview" },
);

interface StatusPagePreview extends Preview {
  readonly themeColors: ThemeColors;
  readonly contrastWarnings: readonly ContrastWarning[];
  readonly cssWarnings: readonly CssWarning[];
}

const toFile = (text: string, contentType: string): PreviewFile => ({
  contentType,
  bytes: Buffer.from(text),
});

/** Lists the files that a visitor's browser would load with the page. */
function listFiles(
  { css, images }: Awaited<ReturnType<typeof draftStatusPage>>,
  themeColors: ThemeColors | null,
): Readonly<Record<string, PreviewFile>> {
  const pictures = [...images].map(([role, { contentType, bytes }]) => [
    `images/${role}`,
    { contentType, bytes },
  ]);
  return {
    ...Object.fromEntries(pictures),
    "page.css": toFile(pageStyle.text, contentTypes.css),
    "page.js": toFile(pageScript.text, contentTypes.script),
    "custom.css": toFile(css, contentTypes.css),
    "icon.svg": toFile(pageIcon, contentTypes.svg),
    "theme.css": toFile(renderTheme(themeColors), contentTypes.css),
  };
}

/** Renders the page as visitors would see it now if the input were saved. */
async function previewStatusPage(
  context: PublicPagesContext,
  caller: Caller,
  draft: { readonly id: string | undefined; readonly input: StatusPageInput },
): Promise<StatusPagePreview> {
  const drafted = await draftStatusPage(context, caller, draft);
  const { page, images } = drafted;
  const view = await loadView(context, page);
  const hashes = Object.fromEntries([...images].map(([role, { hash }]) => [role, hash]));
  const publicUrl = context.publicUrl();
  const look = createPageLook(page, { basePath: "./", images: hashes, publicUrl });
  const { themeColors } = look;
  // The page's script replaces a page that has an outdated version. The preview is rendered without
  // a version, so that the script never replaces the preview.
  const render = (defaultTheme: "LIGHT" | "DARK") =>
    renderHomePage({ ...look, defaultTheme }, view).text;
  const preview = await createPreview(context, caller.accountId, {
    html: render("LIGHT"),
    darkHtml: render("DARK"),
    contentSecurityPolicy: pageSecurityPolicy,
    files: listFiles(drafted, themeColors),
  });
  const contrastWarnings = findContrastWarnings(themeColors);
  const { cssWarnings } = page;
  return {
    ...preview,
    themeColors: themeColors ?? defaultPalettes,
    contrastWarnings,
    cssWarnings,
  };
}

export function addPagePreviewRoutes(server: HttpServer, context: PublicPagesContext): void {
  server.post(
    "/v1/status-pages/previews",
    {
      config: { access: "write" },
      schema: {
        tags: ["Status pages"],
        operationId: "previewStatusPage",
        summary: "Preview a status page",
        description:
          "Accepts the body of creating or updating a page, with the same validation, and " +
          "returns a URL that shows the page for ten minutes. Nothing is saved. An image given " +
          "by URL is shown only after the page is saved and the image is fetched.",
        body: StatusPagePreviewBody,
        response: answers({ 201: StatusPagePreviewSchema }, "notFound"),
      },
    },
    async ({ caller, body }, reply) => {
      const { id, ...input } = body;
      const preview = await previewStatusPage(context, caller, { id, input });
      const { themeColors } = preview;
      const contrastWarnings = [...preview.contrastWarnings];
      const cssWarnings = [...preview.cssWarnings];
      const warnings = { contrastWarnings, cssWarnings };
      return reply.code(201).send({ ...toWirePreview(preview), themeColors, ...warnings });
    },
  );
}
