import { pageIcon, pageScript, pageStyle } from "../../../pages/status-page/assets.ts";
import { renderHomePage } from "../../../pages/status-page/home.ts";
import { defaultPalettes } from "../../../pages/status-page/palette.ts";
import { createPageLook, pageSecurityPolicy } from "../../../pages/status-page/shell.ts";
import { renderTheme, type ThemeColors } from "../../../pages/status-page/theme.ts";
import type { Caller } from "../../accounts/index.ts";
import { createPreview, type Preview, type PreviewFile } from "../../previews/index.ts";
import type { CssWarning } from "../../sites/index.ts";
import {
  type ContrastWarning,
  type DraftPage,
  draftStatusPage,
  findContrastWarnings,
  type StatusPageInput,
} from "../../status-pages/index.ts";
import type { PublicPagesContext } from "../context.ts";
import { contentTypes } from "../page-document.ts";
import { loadView } from "../rendering.ts";

export interface StatusPagePreview extends Preview {
  readonly themeColors: ThemeColors;
  readonly contrastWarnings: readonly ContrastWarning[];
  readonly cssWarnings: readonly CssWarning[];
}

const toFile = (text: string, contentType: string): PreviewFile => ({
  contentType,
  bytes: Buffer.from(text),
});

/** The same files that a visitor's browser would load. */
function listFiles(
  { css, images }: DraftPage,
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
export async function previewStatusPage(
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
  // Without a version, the page's script never fetches a newer one.
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
