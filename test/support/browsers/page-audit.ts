import type { Page } from "playwright-core";

/**
 * Lists accessibility faults: insufficient contrast, headings out of order, elements without a
 * name, duplicate ids, and a page wider than its window.
 */
export async function auditPage(page: Page): Promise<readonly string[]> {
  // After a click, the page may be only partly loaded.
  await page.waitForLoadState();
  return [
    ...((await page.evaluate(contrastProbe)) as string[]),
    ...((await page.evaluate(structureProbe)) as string[]),
  ];
}

/**
 * The script is a text, because it runs in the browser and this project does not load the types of
 * a browser.
 */
const contrastProbe = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const over = (top, below) => {
    const alpha = top[3] ?? 1;
    return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha));
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if ((color[3] ?? 1) === 0) continue;
      layers.push(color);
      if ((color[3] ?? 1) === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const isDrawing = element.closest("svg, script, style, noscript, .unseen") !== null;
    if (text === "" || isDrawing || !element.checkVisibility() || box.width === 0) continue;
    const below = ground(element);
    const [one, other] = [light(over(parse(style.color), below)), light(below)];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) {
      found.add("contrast " + ratio.toFixed(2) + ": " + text.slice(0, 40));
    }
  }
  return [...found];
})()`;

const structureProbe = `(() => {
  const found = [];
  const name = (element) =>
    (element.getAttribute("aria-label") ?? "") + element.textContent.trim() +
    [...element.querySelectorAll("img")].map((image) => image.alt).join("");
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) found.push("heading h" + next + " after h" + level + ": " + heading.textContent.trim());
    level = next;
  }
  if (document.querySelectorAll("h1").length !== 1) found.push("not exactly one h1");
  for (const part of ["header", "main", "footer"]) {
    if (document.querySelectorAll("body > " + part).length !== 1) found.push("not exactly one " + part);
  }
  if (!document.documentElement.lang) found.push("no language");
  if (!document.title.trim()) found.push("no title");
  for (const image of document.querySelectorAll("img:not([alt])")) found.push("no alt: " + image.src);
  for (const drawing of document.querySelectorAll("svg:not([aria-hidden=true])")) {
    if (!["img", "slider"].includes(drawing.getAttribute("role")) || !drawing.getAttribute("aria-label")) found.push("a drawing without words");
  }
  for (const element of document.querySelectorAll("a[href], button")) {
    if (name(element).trim() === "") found.push("no name: " + element.outerHTML.slice(0, 80));
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (field.labels.length === 0 && !field.getAttribute("aria-label")) found.push("no label: " + field.name);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) found.push("id twice: " + id);
  for (const element of document.querySelectorAll("[style], style, script:not([src])")) {
    found.push("inline: " + element.outerHTML.slice(0, 80));
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push("wider than its window: " + scrollWidth + " > " + clientWidth);
  return found;
})()`;
