/**
 * Draws every mail of the product for review: narrow and wide, in light and dark, and once without
 * its style sheet, as some mail programs show it. Writes the plain text beside it.
 *
 * npm run screenshots:mails [-- --folder screenshots]
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "../../test/support/browsers/chromium.ts";
import { listSampleMails } from "../../test/support/modules/mails.ts";
import { write } from "../support.ts";

const { values } = parseArgs({ options: { folder: { type: "string", default: "screenshots" } } });
const views = [
  { name: "320-light", width: 320, colorScheme: "light", isStripped: false },
  { name: "320-dark", width: 320, colorScheme: "dark", isStripped: false },
  { name: "640-light", width: 640, colorScheme: "light", isStripped: false },
  { name: "640-dark", width: 640, colorScheme: "dark", isStripped: false },
  { name: "640-stripped", width: 640, colorScheme: "light", isStripped: true },
] as const;

mkdirSync(values.folder, { recursive: true });
const browser = await launchChromium();
try {
  const mails = await listSampleMails();
  for (const { name: view, width, colorScheme, isStripped } of views) {
    const page = await browser.newPage({ viewport: { width, height: 480 }, colorScheme });
    for (const { name, mail } of mails) {
      await page.setContent(isStripped ? mail.html.replace(/<style>.*<\/style>/s, "") : mail.html);
      const path = join(values.folder, `mail-${name}-${view}.png`);
      await page.screenshot({ path, fullPage: true });
      if (isStripped) writeFileSync(join(values.folder, `mail-${name}.txt`), mail.text);
    }
    await page.close();
  }
  write(`${mails.length} mails, ${views.length} pictures each`);
} finally {
  await browser.close();
}
