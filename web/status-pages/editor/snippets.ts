const escapeMarkup = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** Returns HTML and Markdown snippets of the page's state. `address` must end with a slash. */
export function listSnippets(name: string, address: string) {
  const link = escapeMarkup(address);
  const title = escapeMarkup(name);
  const alt = name.replaceAll(/[[\]\\]/g, "\\$&");
  return {
    badgeMarkdown: `[![${alt}](${address}badge.svg)](${address})`,
    badgeHtml: `<a href="${link}"><img src="${link}badge.svg" alt="${title}"></a>`,
    bannerHtml:
      `<iframe src="${link}banner" title="${title}" width="320" height="44" ` +
      'loading="lazy" style="border:0"></iframe>',
  } as const;
}
