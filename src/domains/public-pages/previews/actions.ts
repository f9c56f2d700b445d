import { pageIcon, pageScript, pageStyle } from "../../../pages/status-page/assets.ts";
import { renderHomePage } from "../../../pages/status-page/home.ts";
import { defaultPalettes } from "../../../pages/status-page/palette.ts";
import { createPageLook, pageSecurityPolicy } from "../../../pages/status-page/shell.ts";
import { renderTheme, type ThemeColors } from "../../../pages/status-page/theme.ts";
import type { Caller } from "../../accounts/index.ts";
import { createPreview, type Preview, type PreviewFile } from "../../previews/index.ts";
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
}

const toFile = (text: string, contentType: string): PreviewFile => ({
  contentType,
  bytes: Buffer.from(text),
});

/** The same files that a visitor's browser would load. */
function listFiles({ page, images }: DraftPage): Readonly<Record<string, PreviewFile>> {
  const pictures = [...images].map(([role, { contentType, bytes }]) => [
    `images/${role}`,
    { contentType, bytes },
  ]);
  return {
    ...Object.fromEntries(pictures),
    "page.css": toFile(pageStyle.text, contentTypes.css),
    "page.js": toFile(pageScript.text, contentTypes.script),
    "icon.svg": toFile(pageIcon, contentTypes.svg),
    "theme.css": toFile(renderTheme(page.settings.themeColors), contentTypes.css),
  };
}

/** The page as visitors would see it now, were the input saved; by the renderer of the page. */
export async function previewStatusPage(
  context: PublicPagesContext,
  caller: Caller,
  draft: { readonly id: string | undefined; readonly input: StatusPageInput },
): Promise<StatusPagePreview> {
  const drafted = await draftStatusPage(context, caller, draft);
  const { page, images } = drafted;
  const view = await loadView(context, page);
  const hashes = Object.fromEntries([...images].map(([role, { hash }]) => [role, hash]));
  const look = createPageLook(page, { basePath: "./", images: hashes });
  // Without a version the page's script never asks for a newer one.
  const render = (defaultTheme: "LIGHT" | "DARK") =>
    renderHomePage({ ...look, defaultTheme }, view).text;
  const preview = await createPreview(context, caller.accountId, {
    html: render("LIGHT"),
    darkHtml: render("DARK"),
    contentSecurityPolicy: pageSecurityPolicy,
    files: listFiles(drafted),
  });
  const { themeColors } = page.settings;
  const contrastWarnings = findContrastWarnings(themeColors);
  return { ...preview, themeColors: themeColors ?? defaultPalettes, contrastWarnings };
}
